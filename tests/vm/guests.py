# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Two virtual machines with soft-RoCE whose network cards are joined, for the programs in this folder."""
import os
import shutil
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
PACKAGES = ("linux-image-amd64 kmod iproute2 iputils-ping ethtool procps rdma-core ibverbs-providers python3 ibverbs-utils perftest rdmacm-utils infiniband-diags "
            "nfs-kernel-server nfs-common netbase rpcbind tcpdump open-iscsi busybox-static libpcap0.8 libcap-ng0 libisal2 libibumad3 librdmacm1 libibverbs1 "
            "libzstd1 liblz4-1 libpcre2-8-0 libncursesw6 libsqlite3-0 libmicrohttpd12")
RELEASE = "bookworm"
MODULES = ("virtio_pci", "virtio_blk", "ext4")  # to reach the disk
BOOT_SECONDS, COMMAND_SECONDS = 600, 300


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def sources():
    """Lines of sources.list with this machine's sources of Debian 12; the first is the release itself."""
    shown = run("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages", stdout=subprocess.PIPE).stdout.decode()
    found = sorted({line for line in shown.splitlines() if line.split()[1] in (RELEASE, RELEASE + "-updates", RELEASE + "-security")
                    and line.split()[2] == "main"}, key=lambda line: line.split()[1])
    if not found:
        raise SystemExit("this machine's apt has no source of Debian 12 (add one, or name a Debian tree with --root)")
    return ["deb " + line for line in found]


def make_root(tree):
    if os.path.exists(tree) and os.listdir(tree):
        raise SystemExit("%s is not empty (use it with --root, or remove it)" % tree)
    if os.geteuid():
        raise SystemExit("--make-root needs root: debootstrap makes device files and uses chroot")
    begun, lines = time.monotonic(), sources()
    settings = [line for line in subprocess.check_output(("apt-config", "dump"), text=True).splitlines() if line.startswith("Acquire::http")]
    run("debootstrap", "--variant=minbase", RELEASE, tree, lines[0].split()[1])
    for name, text in (("etc/apt/sources.list", "\n".join(lines)), ("etc/apt/apt.conf.d/90host", "\n".join(settings)),
                       ("usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101")):
        with open(os.path.join(tree, name), "w") as f:
            f.write(text + "\n")
    os.chmod(os.path.join(tree, "usr/sbin/policy-rc.d"), 0o755)
    shutil.copy("/etc/resolv.conf", os.path.join(tree, "etc/resolv.conf"))
    # the guests have an initrd of their own
    for command in (("update",), ("install", "-y", "--no-install-recommends", *PACKAGES.split())):
        run("chroot", tree, "env", "DEBIAN_FRONTEND=noninteractive", "INITRD=No", "apt-get", *command)
    run("chroot", tree, "apt-get", "clean")
    print("%5.0f s  the tree is made" % (time.monotonic() - begun), flush=True)


def in_order(tree, release):
    """Files of the modules that the disk needs, each after those that it depends on."""
    folder = os.path.join(tree, "lib/modules", release)
    with open(os.path.join(folder, "modules.dep")) as f:
        needs = {path: rest.split() for path, _, rest in (line.partition(":") for line in f)}
    name_of = lambda path: os.path.basename(path).split(".")[0].replace("-", "_")
    found = []
    for module in MODULES:
        for path in (path for path in needs if name_of(path) == module):
            found += [one for one in reversed([path] + needs[path]) if one not in found]
    # jbd2 and ext4 ask for this one by name
    found[:0] = [path for path in needs if name_of(path) in ("crc32c_generic", "libcrc32c") and path not in found]
    return [os.path.join(folder, path) for path in found]


def make_initrd(tree, release, work):
    inside = os.path.join(work, "initrd")
    shutil.rmtree(inside, ignore_errors=True)
    for name in ("bin", "modules", "proc", "dev", "root"):
        os.makedirs(os.path.join(inside, name))
    shutil.copy(os.path.join(tree, "bin/busybox"), os.path.join(inside, "bin/busybox"))
    for number, path in enumerate(in_order(tree, release)):
        target = os.path.join(inside, "modules", "%02d.ko" % number)
        if path.endswith(".xz"):
            with open(target, "wb") as f:
                run("xz", "-dc", path, stdout=f)
        else:
            shutil.copy(path, target)
    with open(os.path.join(inside, "init"), "w") as f:
        f.write("#!/bin/busybox sh\nb=/bin/busybox\n$b mount -t devtmpfs dev /dev\n$b mount -t proc proc /proc\n"
                "for m in /modules/*.ko; do $b insmod $m; done\n$b mount -t ext4 /dev/vda /root || exec $b sh\n"
                "$b mount --move /dev /root/dev\n$b umount /proc\nexec $b switch_root /root /guest-init\n")
    os.chmod(os.path.join(inside, "init"), 0o755)
    with open(os.path.join(work, "initrd.gz"), "wb") as f:
        names = subprocess.Popen(("find", "."), cwd=inside, stdout=subprocess.PIPE)
        archive = subprocess.Popen((os.path.join(inside, "bin/busybox"), "cpio", "-o", "-H", "newc"), cwd=inside, stdin=names.stdout, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        run("gzip", "-1", stdin=archive.stdout, stdout=f)


def make_images(tree, work):
    release = sorted(os.listdir(os.path.join(tree, "lib/modules")))[-1]
    shutil.copy(os.path.join(HERE, "guest-init"), os.path.join(tree, "guest-init"))
    os.chmod(os.path.join(tree, "guest-init"), 0o755)
    image = os.path.join(work, "root.img")
    with open(image, "wb") as f:
        f.truncate(4 << 30)
    run("mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-d", tree, image)
    shutil.copy(os.path.join(tree, "boot/vmlinuz-" + release), os.path.join(work, "vmlinuz"))
    make_initrd(tree, release, work)
    return release


class Guest:
    """One guest; `netdev`: QEMU's words for its end of the wire."""

    def __init__(self, tests, name, number, netdev):
        self.tests, self.name, self.count = tests, name, 0
        self.folder = os.path.join(tests.share, name)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        with open(os.path.join(tests.work, name + ".log"), "wb") as log:
            self.process = subprocess.Popen(
                (*tests.qemu, "-accel", tests.accelerator, "-cpu", "max" if tests.accelerator == "kvm" else "Nehalem", "-smp", "1", "-m", "1500", "-nographic", "-no-reboot",
                 "-kernel", tests.path("vmlinuz"), "-initrd", tests.path("initrd.gz"), "-append",
                 "console=ttyS0 quiet panic=-1 mitigations=off net.ifnames=0 guest=" + name,
                 "-drive", "file=%s,format=raw,if=virtio,snapshot=on" % tests.path("root.img"),
                 "-fsdev", "local,id=share,path=%s,security_model=none" % tests.share, "-device", "virtio-9p-pci,fsdev=share,mount_tag=share",
                 "-netdev", netdev,
                 "-device", "virtio-net-pci,netdev=wire,mac=52:54:00:00:00:%02x" % number, "-monitor", "none"),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def begin(self, command):
        """Starts a command; its number for end()."""
        self.count += 1
        base = os.path.join(self.folder, "%03d" % self.count)
        with open(base + ".new", "w") as f:
            f.write(command + "\n")
        os.rename(base + ".new", base + ".command")
        return base

    def end(self, base, may_fail=False):
        deadline = time.monotonic() + COMMAND_SECONDS
        while not os.path.exists(base + ".status"):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise SystemExit("%s: no end of: %s\n%s" % (self.name, open(base + ".running").read(), open(base + ".output", errors="replace").read()))
            time.sleep(0.05)
        with open(base + ".output", errors="replace") as f:
            output = f.read()
        with open(base + ".status") as f:
            status = int(f.read())
        if status and not may_fail:
            raise SystemExit("%s: status %d of: %s\n%s" % (self.name, status, open(base + ".running").read(), output))
        return output

    def run(self, command, may_fail=False):
        return self.end(self.begin(command), may_fail)

    def wait_up(self):
        deadline = time.monotonic() + BOOT_SECONDS
        while not os.path.exists(os.path.join(self.folder, "up")):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise SystemExit("%s does not come up: see %s" % (self.name, os.path.join(self.tests.work, self.name + ".log")))
            time.sleep(0.2)


class Pair:
    """Two guests, a and b, their folder and what was found. To be called: boot(), at the end shut_down()."""

    def __init__(self, arguments):
        self.work, self.qemu, self.failed = os.path.abspath(arguments.work), arguments.qemu.split(), 0
        self.accelerator = arguments.accel or ("kvm" if os.access("/dev/kvm", os.W_OK) else "tcg,thread=multi")
        self.share = os.path.join(self.work, "share")
        self.begun = time.monotonic()
        os.makedirs(self.share, exist_ok=True)
        self.program = os.path.abspath(arguments.program)

    def path(self, name):
        return os.path.join(self.work, name)

    def shared(self, name):
        return os.path.join(self.share, name)

    def step(self, text):
        print("%5.0f s  %s" % (time.monotonic() - self.begun, text), flush=True)

    def check(self, holds, what):
        if not holds:
            self.failed += 1
            print("FAILED: " + what, flush=True)

    def equal(self, found, wanted, what):
        self.check(found == wanted, "%s: %s instead of %s" % (what, found, wanted))

    def boot(self, prepare, mtu=1500):
        """`prepare`: modules and more that the device rxe0 needs."""
        self.a = Guest(self, "a", 1, self.netdev(1))
        self.wait_for_wire()
        self.b = Guest(self, "b", 2, self.netdev(2))
        for number, guest in enumerate((self.a, self.b), 1):
            guest.wait_up()
            guest.run("ip link set eth0 mtu %d up; ip address add 10.0.0.%d/24 dev eth0; "
                      "ip neigh replace 10.0.0.%d lladdr 52:54:00:00:00:%02x dev eth0 nud permanent; "  # no ARP while programs start
                      "ethtool -K eth0 gro off gso off tso off; %s; rdma link add rxe0 type rxe netdev eth0" % (mtu, number, 3 - number, 3 - number, prepare))
        self.step("both guests are up: %s" % self.a.run("uname -r").strip())

    # One is connected to the other; a program between them has these three methods of its own.
    def netdev(self, number):
        if number == 1 and os.path.exists(self.path("wire.sock")):
            os.unlink(self.path("wire.sock"))
        return "stream,id=wire,server=%s,addr.type=unix,addr.path=%s" % ("on" if number == 1 else "off", self.path("wire.sock"))

    def wait_for_wire(self):
        while not os.path.exists(self.path("wire.sock")):
            if self.a.process.poll() is not None:
                raise SystemExit("qemu does not run: see " + self.path("a.log"))
            time.sleep(0.1)

    def serve_nfs(self):
        self.a.run("modprobe -a nfsd rpcrdma; mkdir -p /srv/nfs /var/lib/nfs/v4recovery /var/lib/nfs/sm /var/lib/nfs/rpc_pipefs; mount -t tmpfs tmpfs /srv/nfs; "
                   "mount -t nfsd nfsd /proc/fs/nfsd; mount -t rpc_pipefs sunrpc /var/lib/nfs/rpc_pipefs; rpcbind -w; rpc.statd --no-notify; "
                   "echo 10 >/proc/fs/nfsd/nfsv4gracetime; touch /etc/exports; exportfs -o rw,no_root_squash,insecure,no_subtree_check,fsid=0 '*:/srv/nfs'; "
                   "rpc.nfsd --rdma=20049 4; rpc.mountd; cat /proc/fs/nfsd/portlist")

    def shut_down(self):
        for guest in (self.a, self.b):
            open(os.path.join(guest.folder, "off"), "w").close()
        for guest in (self.a, self.b):
            try:
                guest.process.wait(60)
            except subprocess.TimeoutExpired:
                guest.process.kill()


def add_options(parser):
    parser.add_argument("--root", default="")
    parser.add_argument("--make-root", default="")
    parser.add_argument("--work", default="/var/tmp/rdmatap-vm")
    parser.add_argument("--qemu", default="qemu-system-x86_64")
    parser.add_argument("--accel", default="", help="of QEMU: kvm, or tcg,thread=multi where KVM does not work")
    parser.add_argument("--program", default=os.path.join(TOP, "build-plain", "rdmatap"))
    parser.add_argument("--keep", action="store_true", help="use the images of the last run")


def prepare(arguments):
    """Makes what the options ask for: a tree, and the images of the guests."""
    os.makedirs(arguments.work, exist_ok=True)
    tree = arguments.make_root or arguments.root
    if arguments.make_root:
        make_root(tree)
    if not arguments.keep:
        if not tree:
            raise SystemExit("name a Debian tree with --root or --make-root, or --keep")
        print("kernel %s" % make_images(tree, arguments.work), flush=True)
