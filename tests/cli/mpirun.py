# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the tests of rdmatap-mpi share. RDMATAP_MPI: the program; else it is beside rdmatap."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from cli import PROGRAM, TIMEOUT, environment, read

MPI_PROGRAM = os.environ.get("RDMATAP_MPI", PROGRAM + "-mpi")
if not os.path.exists(MPI_PROGRAM) or not shutil.which("mpirun"):
    print("skipped: rdmatap-mpi or mpirun is missing (configure --with-mpi; Debian: apt install libopenmpi-dev openmpi-bin)", file=sys.stderr)
    sys.exit(77)


def parts_output():
    """Open MPI 5 can put parts of standard output into standard error."""
    version = re.search(rb"Open MPI\) (\d+)", subprocess.run(["mpirun", "--version"], stdout=subprocess.PIPE, check=False).stdout)
    return version is not None and int(version[1]) >= 5


class MpiTest(unittest.TestCase):
    OWN = ("--ranks", "--split=10K") # options that rdmatap has not

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def run_program(self, command, status=0):
        changes = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                   "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                   "OMPI_MCA_mpi_yield_when_idle": "1",
                   # it takes time to look for network devices and for graphics processors
                   "OMPI_MCA_pml": "ob1", "HWLOC_PLUGINS_PATH": os.devnull,
                   "TMPDIR": self.directory.name}
        done = subprocess.run(command, env=environment(**changes), stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, status, done.stderr.decode(errors="replace"))
        self.error = done.stderr.decode()
        return sorted(done.stdout.splitlines())

    def ranks(self, count, *arguments, status=0):
        """Lines of standard output, where mpirun keeps them whole, else of --output."""
        if "--output" in arguments or not parts_output():
            return self.run_program(["mpirun", "-n", str(count), MPI_PROGRAM, *arguments], status)
        path = self.path("lines")
        if os.path.exists(path):
            os.unlink(path)
        lines = self.run_program(["mpirun", "-n", str(count), MPI_PROGRAM, arguments[0], "--output", path, *arguments[1:]], status)
        return lines or (sorted(read(path).splitlines()) if os.path.exists(path) else [])

    def one(self, *arguments, status=0):
        return self.run_program([PROGRAM, *arguments], status)

    def check(self, counts, *arguments, files, status=0):
        """The output of each number of ranks is that of one process, in any order of lines. Returns that."""
        wanted = self.one(*[one for one in arguments if one not in self.OWN], *files, status=status)
        self.assertTrue(wanted)
        for count in counts:
            self.assertEqual(self.ranks(count, *arguments, *files, status=status), wanted, "%d ranks: %s" % (count, " ".join(arguments)))
        return wanted
