/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sending frames on a network interface, with a packet socket that receives nothing: a libpcap handle would capture everything that
 * it sends. packet(7).
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/live.h"
#include "capture/live/live_packet_sender.h"

#define FRAMES_A_CALL 64
#define FULL_QUEUE_MS 1

struct packet_sender {
	struct rtap_sender sender; /* the first member */
	int socket;
	char name[IFNAMSIZ];
};

static enum rtap_status fail(const struct packet_sender *sender, int reason, struct rtap_error *error)
{
	switch (reason) {
	case EMSGSIZE:
		rtap_error_set(error, RTAP_ERROR_INVALID, "pcap:%s: the frame is longer than the interface's MTU allows", sender->name);
		break;
	case EINVAL:
		rtap_error_set(error, RTAP_ERROR_INVALID, "pcap:%s: the frame is shorter than its link header", sender->name);
		break;
	case ENETDOWN:
		rtap_error_set(error, RTAP_ERROR_CLOSED, "pcap:%s: the interface is down", sender->name);
		break;
	case ENODEV:
	case ENXIO:
		rtap_error_set(error, RTAP_ERROR_CLOSED, "pcap:%s: the interface is gone", sender->name);
		break;
	default:
		rtap_error_set(error, RTAP_ERROR_CLOSED, "pcap:%s: cannot send: %s", sender->name, strerror(reason));
	}
	return RTAP_STATUS_FAILED;
}

/* Waits until the queue of the socket or of the interface may have room again. */
static void wait_for_room(const struct packet_sender *sender, int reason)
{
	struct pollfd writable = { .fd = sender->socket, .events = POLLOUT };

	/* ENOBUFS is the interface's queue, which nothing waits for. */
	poll(&writable, reason == ENOBUFS ? 0 : 1, FULL_QUEUE_MS);
}

static enum rtap_status packet_sender_send(struct rtap_sender *base, const struct rtap_frame *frames, size_t count, size_t *sent,
					   struct rtap_error *error)
{
	struct packet_sender *sender = (struct packet_sender *)base;
	struct mmsghdr messages[FRAMES_A_CALL] = { 0 };
	struct iovec pieces[FRAMES_A_CALL];

	*sent = 0;
	while (*sent < count) {
		size_t now = count - *sent < FRAMES_A_CALL ? count - *sent : FRAMES_A_CALL;
		int result;

		for (size_t i = 0; i < now; i++) {
			pieces[i] = (struct iovec){ (void *)frames[*sent + i].bytes, frames[*sent + i].captured_length };
			messages[i].msg_hdr = (struct msghdr){ .msg_iov = &pieces[i], .msg_iovlen = 1 };
		}
		result = sendmmsg(sender->socket, messages, (unsigned)now, 0);
		if (result > 0)
			*sent += (size_t)result;
		else if (errno == EAGAIN || errno == ENOBUFS)
			wait_for_room(sender, errno);
		else if (errno != EINTR)
			return fail(sender, errno, error);
	}
	return RTAP_STATUS_OK;
}

/* The kernel has accepted or rejected each frame; it does not report what happens to accepted ones. */
static enum rtap_status packet_sender_flush(struct rtap_sender *base, uint64_t *lost, struct rtap_error *error)
{
	(void)base;
	(void)error;
	*lost = 0;
	return RTAP_STATUS_OK;
}

static void packet_sender_close(struct rtap_sender *base)
{
	struct packet_sender *sender = (struct packet_sender *)base;

	if (sender->socket >= 0)
		close(sender->socket);
	free(sender);
}

static const struct live_sender_operations operations = { packet_sender_send, packet_sender_flush, packet_sender_close, NULL };

static enum rtap_status check_link_type(struct packet_sender *sender, struct rtap_error *error)
{
	struct ifreq request = { .ifr_flags = 0 };

	strcpy(request.ifr_name, sender->name);
	if (ioctl(sender->socket, SIOCGIFHWADDR, &request))
		return fail(sender, errno, error);
	if (request.ifr_hwaddr.sa_family != ARPHRD_ETHER && request.ifr_hwaddr.sa_family != ARPHRD_LOOPBACK) {
		rtap_error_set(error, RTAP_ERROR_UNSUPPORTED,
			       "pcap:%s: frames can be sent on Ethernet interfaces only (this one has ARP hardware type %u)", sender->name,
			       request.ifr_hwaddr.sa_family);
		return RTAP_STATUS_FAILED;
	}
	sender->sender.link_type = RTAP_LINK_ETHERNET;
	return RTAP_STATUS_OK;
}

static enum rtap_status bind_to(struct packet_sender *sender, unsigned index, struct rtap_error *error)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_ifindex = (int)index };

	/* protocol 0: nothing is received */
	sender->socket = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (sender->socket < 0 && (errno == EPERM || errno == EACCES)) {
		rtap_error_set(error, RTAP_ERROR_PERMISSION, "pcap:%s: no permission to send (be root, or give the program the capability: "
			       "setcap cap_net_raw+ep PATH-OF-RDMATAP)", sender->name);
		return RTAP_STATUS_FAILED;
	}
	if (sender->socket < 0 || bind(sender->socket, (struct sockaddr *)&address, sizeof address))
		return fail(sender, errno, error);
	return RTAP_STATUS_OK;
}

enum rtap_status live_packet_sender_open(struct rtap_sender **sender, const char *name, struct rtap_error *error)
{
	unsigned index = if_nametoindex(name);
	struct packet_sender *opened;

	*sender = NULL;
	if (!index) {
		rtap_error_set(error, RTAP_ERROR_NOT_FOUND, "pcap:%s: there is no such interface (rdmatap -D lists what there is)", name);
		return RTAP_STATUS_FAILED;
	}
	opened = calloc(1, sizeof *opened);
	if (!opened) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "pcap:%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	opened->sender.operations = &operations;
	/* a name that has an index has less than IFNAMSIZ bytes */
	strncpy(opened->name, name, sizeof opened->name - 1);
	if (bind_to(opened, index, error) || check_link_type(opened, error)) {
		packet_sender_close(&opened->sender);
		return RTAP_STATUS_FAILED;
	}
	*sender = &opened->sender;
	return RTAP_STATUS_OK;
}
