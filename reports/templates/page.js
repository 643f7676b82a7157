"use strict";
// Without this script every table and every detail is still there: it only sorts, filters and opens.
(function () {
	function value(row, column) {
		const cell = row.cells[column];
		const number = cell.dataset.v;
		return number === undefined ? cell.textContent : number === "" ? null : Number(number);
	}

	// What was not measured stays below, whichever way one sorts.
	function compare(a, b, sign) {
		if (a === null || b === null)
			return (a === null) - (b === null);
		if (typeof a === "number" && typeof b === "number")
			return sign * (a - b);
		return sign * (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0);
	}

	function sortBy(table, header, column) {
		const body = table.tBodies[0];
		const falling = header.getAttribute("aria-sort") === "ascending";
		const rows = Array.from(body.rows);
		rows.sort(function (a, b) {
			return compare(value(a, column), value(b, column), falling ? -1 : 1);
		});
		for (const other of table.tHead.rows[0].cells)
			other.removeAttribute("aria-sort");
		header.setAttribute("aria-sort", falling ? "descending" : "ascending");
		table.classList.add("sorted");
		body.append(...rows);
	}

	function makeSortable(table) {
		Array.from(table.tHead.rows[0].cells).forEach(function (header, column) {
			const button = document.createElement("button");
			button.type = "button";
			button.append(...header.childNodes);
			header.append(button);
			button.addEventListener("click", function () { sortBy(table, header, column); });
		});
	}

	function makeFilter(scope, rows, name) {
		const box = document.createElement("div");
		const label = document.createElement("label");
		const input = document.createElement("input");
		const count = document.createElement("span");
		box.className = "filter";
		input.type = "search";
		input.placeholder = "words, all of which must match";
		count.setAttribute("role", "status");
		count.className = "soft";
		label.append(name + " ", input);
		box.append(label, count);
		scope.before(box);
		input.addEventListener("input", function () {
			const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
			let shown = 0;
			for (const row of rows) {
				const text = row.textContent.toLowerCase();
				row.hidden = !wanted.every(function (word) { return text.includes(word); });
				shown += !row.hidden;
			}
			count.textContent = wanted.length ? shown + " of " + rows.length + " shown" : "";
		});
	}

	for (const table of document.querySelectorAll("table.figures")) {
		makeSortable(table);
		makeFilter(table.parentElement, Array.from(table.tBodies[0].rows), "Filter rows:");
	}
	const cells = document.querySelectorAll("details.cell");
	if (cells.length > 4)
		makeFilter(cells[0], Array.from(cells), "Filter cells:");

	function openTarget() {
		const target = document.getElementById(location.hash.slice(1));
		if (target && target.tagName === "DETAILS") {
			target.open = true;
			target.scrollIntoView();
		}
	}
	addEventListener("hashchange", openTarget);
	openTarget();
})();
