/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where the simulated device's frames come from, and where what is sent goes. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/verbs_sim/sim.h"

#define PCAP_MICROSECONDS 0xa1b2c3d4u
#define PCAP_NANOSECONDS 0xa1b23c4du

struct pcap_header {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, accuracy, snap_length, link_type;
};

struct pcap_record {
	uint32_t seconds, fraction, captured, wire;
};

static int open_file(struct sim_feed *feed)
{
	struct pcap_header header;
	struct stat status;
	int file = open(sim_config.feed_name, O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return errno;
	if (fstat(file, &status) || status.st_size < (off_t)sizeof header || !(feed->file = malloc((size_t)status.st_size)) ||
	    read(file, feed->file, (size_t)status.st_size) != status.st_size) {
		close(file);
		return EINVAL;
	}
	close(file);
	feed->file_size = (size_t)status.st_size;
	feed->file_at = sizeof header;
	memcpy(&header, feed->file, sizeof header);
	feed->file_nanoseconds = header.magic == PCAP_NANOSECONDS;
	if ((header.magic != PCAP_NANOSECONDS && header.magic != PCAP_MICROSECONDS) || header.link_type != 1)
		return EINVAL;
	return 0;
}

/* A packet socket; 0 or errno. */
static int open_socket(const char *name, int *descriptor)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
				       .sll_ifindex = (int)if_nametoindex(name) };
	struct packet_mreq all = { .mr_ifindex = address.sll_ifindex, .mr_type = PACKET_MR_PROMISC };
	int one = 1, room = 32 << 20;

	*descriptor = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*descriptor < 0)
		return errno;
	(void)setsockopt(*descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
	if (setsockopt(*descriptor, SOL_PACKET, PACKET_AUXDATA, &one, sizeof one) ||
	    setsockopt(*descriptor, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all) ||
	    bind(*descriptor, (struct sockaddr *)&address, sizeof address))
		return errno;
	return 0;
}

/* Ethernet, IPv4, UDP to port 4791; the rest counts up, and the last 8 bytes are the frame's number. */
static void make_frame(uint8_t *bytes, uint32_t size)
{
	static const uint8_t header[] = {
		0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1, 0x08, 0x00,
		0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
		0xc0, 0, 0x12, 0xb7, 0, 0, 0, 0,
	};
	uint32_t ip_length = size - 14, udp_length = size - 34, sum = 0;

	for (uint32_t i = sizeof header; i < size; i++)
		bytes[i] = (uint8_t)i;
	memcpy(bytes, header, sizeof header);
	bytes[16] = (uint8_t)(ip_length >> 8);
	bytes[17] = (uint8_t)ip_length;
	bytes[38] = (uint8_t)(udp_length >> 8);
	bytes[39] = (uint8_t)udp_length;
	for (int i = 14; i < 34; i += 2)
		sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~((sum & 0xffff) + (sum >> 16));
	bytes[24] = (uint8_t)(sum >> 8);
	bytes[25] = (uint8_t)sum;
}

static int open_send_file(struct sim_context *context)
{
	struct pcap_header header = { PCAP_NANOSECONDS, 2, 4, 0, 0, 262144, 1 };

	context->send_file = open(sim_config.send_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (context->send_file < 0 || write(context->send_file, &header, sizeof header) != sizeof header)
		return errno;
	return 0;
}

int sim_feed_open(struct sim_context *context)
{
	int error = 0;

	if (sim_config.feed == SIM_FEED_FILE)
		error = open_file(&context->feed);
	if (sim_config.feed == SIM_FEED_VETH)
		error = open_socket(sim_config.feed_name, &context->feed.socket);
	if (sim_config.feed == SIM_FEED_GENERATOR)
		make_frame(context->feed.buffer, sim_config.frame_size);
	if (!error && sim_config.send_name[0])
		error = sim_config.send_is_veth ? open_socket(sim_config.send_name, &context->send_socket) : open_send_file(context);
	return error;
}

void sim_feed_close(struct sim_context *context)
{
	free(context->feed.file);
	if (context->feed.socket >= 0)
		close(context->feed.socket);
	if (context->send_socket >= 0)
		close(context->send_socket);
	if (context->send_file >= 0)
		close(context->send_file);
}

static bool next_of_file(struct sim_feed *feed, struct sim_frame *frame)
{
	struct pcap_record record;

	if (feed->file_size - feed->file_at < sizeof record)
		return false;
	memcpy(&record, feed->file + feed->file_at, sizeof record);
	if (record.captured > feed->file_size - feed->file_at - sizeof record)
		return false;
	frame->bytes = feed->file + feed->file_at + sizeof record;
	frame->length = record.captured;
	frame->time_ns = record.seconds * UINT64_C(1000000000) + record.fraction * (feed->file_nanoseconds ? 1u : 1000u);
	feed->file_at += sizeof record + record.captured;
	return true;
}

static bool next_of_generator(struct sim_feed *feed, struct sim_frame *frame)
{
	if (sim_config.frames && feed->made == sim_config.frames)
		return false;
	feed->made++;
	if (sim_config.flows) {
		feed->buffer[34] = (uint8_t)(0xc0 + (feed->made % sim_config.flows >> 8));
		feed->buffer[35] = (uint8_t)(feed->made % sim_config.flows);
	}
	memcpy(feed->buffer + sim_config.frame_size - sizeof feed->made, &feed->made, sizeof feed->made);
	frame->bytes = feed->buffer;
	frame->length = sim_config.frame_size;
	frame->time_ns = 0;
	return true;
}

/* Puts back a VLAN tag that the kernel took out. Room for it is before `bytes`. */
static uint8_t *put_tag_back(uint8_t *bytes, uint32_t *length, struct msghdr *message)
{
	for (struct cmsghdr *control = CMSG_FIRSTHDR(message); control; control = CMSG_NXTHDR(message, control)) {
		struct tpacket_auxdata data;
		uint16_t tpid, tag;

		if (control->cmsg_level != SOL_PACKET || control->cmsg_type != PACKET_AUXDATA)
			continue;
		memcpy(&data, CMSG_DATA(control), sizeof data);
		if (!(data.tp_status & TP_STATUS_VLAN_VALID) || *length < 12)
			continue;
		tpid = htons(data.tp_status & TP_STATUS_VLAN_TPID_VALID ? data.tp_vlan_tpid : ETH_P_8021Q);
		tag = htons(data.tp_vlan_tci);
		memmove(bytes - 4, bytes, 12);
		memcpy(bytes + 8, &tpid, 2);
		memcpy(bytes + 10, &tag, 2);
		*length += 4;
		return bytes - 4;
	}
	return bytes;
}

static bool next_of_socket(struct sim_feed *feed, struct sim_frame *frame)
{
	uint8_t control[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	struct iovec vector = { feed->buffer + 4, sizeof feed->buffer - 4 };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control };
	ssize_t length;

	/* a frame longer than any buffer here is cut, and then too long for the receive as well */
	length = recvmsg(feed->socket, &message, MSG_DONTWAIT);
	if (length < 0)
		return false;
	frame->length = (uint32_t)length;
	frame->bytes = put_tag_back(feed->buffer + 4, &frame->length, &message);
	frame->time_ns = sim_now_ns(CLOCK_REALTIME);
	return true;
}

bool sim_feed_next(struct sim_context *context, struct sim_frame *frame)
{
	switch (sim_config.feed) {
	case SIM_FEED_GENERATOR:
		context->feed.ended = !next_of_generator(&context->feed, frame);
		return !context->feed.ended;
	case SIM_FEED_FILE:
		context->feed.ended = !next_of_file(&context->feed, frame);
		return !context->feed.ended;
	case SIM_FEED_VETH:
		return next_of_socket(&context->feed, frame);
	case SIM_FEED_NONE:
		break;
	}
	return false;
}

int sim_feed_send(struct sim_context *context, const uint8_t *bytes, uint32_t length)
{
	if (context->send_file >= 0) {
		uint64_t now = sim_now_ns(CLOCK_REALTIME);
		struct pcap_record record = { (uint32_t)(now / 1000000000), (uint32_t)(now % 1000000000), length, length };

		if (write(context->send_file, &record, sizeof record) != sizeof record ||
		    write(context->send_file, bytes, length) != length)
			return errno ? errno : EIO;
	}
	if (context->send_socket >= 0 && send(context->send_socket, bytes, length, 0) != (ssize_t)length)
		return errno ? errno : EIO;
	return 0;
}
