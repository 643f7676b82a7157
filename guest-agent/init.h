/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent in a guest: as process 1 of the appliance, or on a port of any guest.
 *
 * Who may include it: guest-agent.
 */
#ifndef IOGAP_AGENT_INIT_H
#define IOGAP_AGENT_INIT_H

#include <stdbool.h>

/* Mounts, loads modules, serves the port, powers off. Does not return. */
_Noreturn void init_main(void);

/*
 * Waits for the virtio-serial port NAME and for its other end, 60 s at most, and serves it until poweroff.
 * 0, or -errno after one line on standard error. When the other end hangs up the process ends, whatever it is doing, after
 * powering the machine off if POWER_OFF.
 */
int init_serve_port(const char *name, bool power_off);

/* Powers the machine off, synced first when SETTLED; returns only if the kernel refused. */
void init_power_off(bool settled);

#endif
