/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers of docs/protocol.md that both ends must agree on. Who may include it: agent and harness/side. */
#ifndef IOGAP_COMMON_PROTOCOL_H
#define IOGAP_COMMON_PROTOCOL_H

#define WIRE_PROTOCOL 1
/* Longest lines, newline included, in bytes. */
#define WIRE_MAX_REQUEST 65536
#define WIRE_MAX_ANSWER 1048576
/* Name of the guest's virtio-serial port. */
#define WIRE_PORT "org.iogap.agent.0"

#endif
