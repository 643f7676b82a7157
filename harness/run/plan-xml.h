/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iogap plan --xml`: a plan's guests as libvirt's XML. Who may include it: cli. */
#ifndef IOGAP_RUN_PLAN_XML_H
#define IOGAP_RUN_PLAN_XML_H

#include "harness/plan/plan.h"

/*
 * The domain of boot BOOT as a sweep would start it on the hypervisor of URI (NULL = the embedded driver; xen: as well), with every disk
 * of the boot in it: those that a sweep plugs in later too. What is drawn when a sweep begins is the word RUN in names and paths.
 * Target files lie in FOLDER. Makes the kernel and the initramfs of the appliance in the cache; starts nothing. New text.
 */
char *plan_xml(const Plan *plan, guint boot, const char *accel, const char *folder, const char *uri, GError **error);

#endif
