-- SPDX-License-Identifier: GPL-2.0-or-later
-- A sweep has the worst answer of all that was asked of it, and says what that was.

UPDATE metric SET meaning = 'verdict of `iogap gate` on this sweep, of several questions the worst: PASS, REGRESSION, INCONCLUSIVE, TOO_FEW_BASELINES, NOT_COMPARABLE, FAILED; NULL = never judged'
	WHERE table_name = 'sweep' AND column_name = 'gate_verdict';
UPDATE metric SET meaning = 'the question whose answer gate_verdict is: what was held against what, and with which options'
	WHERE table_name = 'sweep' AND column_name = 'gate_against';
