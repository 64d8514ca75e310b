"""Attacks of our own: the kinds that the shared list lacks.

The task: read n, print 2 n (`stdin`), or `Solution().f(a)` returns 2 a (`call`). The inputs are 21
and 50. WANT: `bad` must not pass, `timeout` must end as one, `ok` is honest and must pass.
"""

# ruff: noqa: E501  (a program reads better unbroken)
from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Attack:
    name: str
    code: str
    kind: Literal["stdin", "call"] = "stdin"
    want: Literal["ok", "bad", "timeout"] = "bad"


SYSCALL = "import ctypes; s = ctypes.CDLL(None, use_errno=True).syscall\n"

ATTACKS = (
    # leaving early, or saying what a judge would like to hear
    Attack("os_exit_zero", "import os\nos._exit(0)"),
    Attack("skip_test", "import unittest\nraise unittest.SkipTest('fine')"),
    Attack("quit_builtin", "quit()"),
    Attack("systemexit_true", "raise SystemExit(True)"),
    Attack("fake_verdict", "print('{\"status\": \"ok\", \"passed\": true}')\nprint('ACCEPTED')"),
    Attack("every_answer", "print('\\n'.join(map(str, range(200))))"),
    Attack("answers_on_one_line", "print(*range(200))"),
    Attack("answer_on_stderr", "import sys\nprint(2 * int(input()), file=sys.stderr)"),
    Attack("answer_after_a_nul", "print('\\0' + str(2 * int(input())))"),
    Attack("answer_then_crash", "print(2 * int(input()), flush=True)\nraise ValueError"),
    Attack("answer_then_signal", "import os, signal\nprint(2 * int(input()), flush=True)\n"
           "signal.raise_signal(signal.SIGSEGV)"),
    Attack("answer_and_more", "n = int(input())\nprint(2 * n)\nprint(2 * n)"),
    Attack("surrogates", "import sys\nsys.stdout.reconfigure(errors='surrogateescape')\n"
           "print('\\udc80' + str(2 * int(input())))"),
    # looking for the expected outputs
    Attack("argv", "import sys; print(sys.argv)"),
    Attack("environment", "import os; print(dict(os.environ))"),
    Attack("frames", "import sys\nf = sys._getframe()\nwhile f:\n    print(f.f_locals)\n    f = f.f_back"),
    Attack("garbage", "import gc\nprint([o for o in gc.get_objects() if isinstance(o, (str, bytes))])"),
    Attack("own_memory", "print(len(open('/proc/self/mem', 'rb').read(10)))"),
    Attack("parents_memory", "import os\nprint(open(f'/proc/{os.getppid()}/mem', 'rb').read(10))"),
    Attack("parents_descriptors", "import os\nprint(os.listdir(f'/proc/{os.getppid()}/fd'))\n"
           "print(open(f'/proc/{os.getppid()}/fd/0').read())"),
    Attack("every_descriptor", "import os\nfor fd in range(3, 256):\n    try:\n"
           "        print(fd, os.pread(fd, 1000, 0))\n    except OSError:\n        pass"),
    Attack("write_every_descriptor", "import os\nfor fd in range(3, 256):\n    try:\n"
           "        os.write(fd, b'{\"status\": 0, \"cpu\": 0, \"in_time\": true}')\n"
           "    except OSError:\n        pass"),
    Attack("main_module", "import __main__; print(vars(__main__))"),
    Attack("other_tests_tmp", "import os\nprint([open(os.path.join(d, f)).read() for d, _, fs in "
           "os.walk('/tmp') for f in fs])"),
    # results that lie about themselves
    Attack("str_subclass_output", "class S(str):\n    def __eq__(self, o): return True\n"
           "    __hash__ = str.__hash__\nprint(S('x'))"),
    Attack("dict_equal", "class D(dict):\n    def __eq__(self, o): return True\n"
           "class Solution:\n    def f(self, a): return D()", "call"),
    Attack("list_equal", "class L(list):\n    def __eq__(self, o): return True\n"
           "class Solution:\n    def f(self, a): return L()", "call"),
    Attack("metaclass", "class M(type):\n    def __getattribute__(c, n): return int\n"
           "class X(metaclass=M): pass\nclass Solution:\n    def f(self, a): return X()", "call"),
    Attack("class_property", "class X:\n    __class__ = int\n    def __eq__(self, o): return True\n"
           "class Solution:\n    def f(self, a): return X()", "call"),
    Attack("fake_numpy_scalar", "class int64:\n    __module__ = 'numpy'\n    def item(self): return 42\n"
           "    def __eq__(self, o): return True\nclass Solution:\n    def f(self, a): return int64()", "call"),
    Attack("cyclic_result", "class Solution:\n    def f(self, a):\n        x = []\n        x.append(x)\n"
           "        return x", "call"),
    Attack("endless_iterator", "import itertools\nclass Solution:\n"
           "    def f(self, a): return itertools.count()", "call"),
    Attack("nan_key", "class Solution:\n    def f(self, a): return {float('nan'): 42}", "call"),
    Attack("huge_result", "class Solution:\n    def f(self, a): return 'x' * (1 << 28)", "call"),
    Attack("deep_result", "class Solution:\n    def f(self, a):\n        x = []\n"
           "        for _ in range(10**5): x = [x]\n        return x", "call"),
    Attack("raises_on_repr", "class X:\n    def __repr__(self): raise SystemExit(0)\n"
           "class Solution:\n    def f(self, a): return X()", "call"),
    Attack("patched_json", "import json\njson.dumps = lambda *a, **k: '42'\n"
           "json.JSONEncoder.encode = lambda s, o: '42'\nclass Solution:\n    def f(self, a): return 7",
           "call"),
    Attack("exit_in_atexit", "import atexit, os\natexit.register(os._exit, 0)\nprint('wrong')"),
    Attack("closed_stdout", "import os\nos.close(1)\nprint(2 * int(input()))"),
    Attack("stdout_is_stdin", "import os\nos.dup2(0, 1)\nprint(2 * int(input()))"),
    # processes, threads, signals
    Attack("fork", "import os\nif os.fork() == 0:\n    print(2 * int(input()))"),
    Attack("double_fork_daemon", "import os\nfor _ in range(2):\n    if os.fork():\n        os._exit(0)\n"
           "os.setsid()\nopen('/tmp/daemon', 'w').write('alive')"),
    Attack("vfork", SYSCALL + "print(s(58))"),
    Attack("clone3", SYSCALL + "print(s(435, 0, 0))"),
    Attack("posix_spawn", "import os\nos.posix_spawn('/bin/sh', ['sh', '-c', 'echo 42'], {})"),
    Attack("subprocess", "import subprocess\nprint(subprocess.run(['echo', '42'], capture_output=True))"),
    Attack("signal_own_group", "import os, signal\nos.killpg(0, signal.SIGKILL)"),
    Attack("kill_one", "import os, signal\nos.kill(1, signal.SIGKILL)\nprint('done')"),
    Attack("stop_everybody", "import os, signal\nfor p in range(1, 200):\n    try:\n"
           "        os.kill(p, signal.SIGSTOP)\n    except OSError:\n        pass\nprint('done')"),
    Attack("stop_itself", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", want="timeout"),
    Attack("process_vm_readv", SYSCALL + "import os\nprint(s(310, os.getppid(), 0, 0, 0, 0, 0))"),
    Attack("pidfd_getfd", SYSCALL + "import os\nfd = s(434, os.getppid(), 0)\nprint(s(438, fd, 0, 0))"),
    Attack("deadlock", "import threading\nl = threading.Lock()\nl.acquire()\nl.acquire()", want="timeout"),
    Attack("sleep_forever", "import time\ntime.sleep(10**6)", want="timeout"),
    Attack("busy_threads", "import threading\ndef f():\n    while True: pass\n"
           "for _ in range(4): threading.Thread(target=f).start()", want="timeout"),
    Attack("cancelled_alarm", "import signal\nsignal.alarm(0)\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\n"
           "while True: pass", want="timeout"),
    # memory, disk, output
    Attack("bytearray_bomb", "x = bytearray(1 << 40)"),
    Attack("mmap_bomb", "import mmap\nx = [mmap.mmap(-1, 1 << 32) for _ in range(100)]"),
    Attack("dict_bomb", "x = {}\nwhile True: x[len(x)] = 'y' * 1000"),
    Attack("disk_fill", "with open('/tmp/big', 'wb') as f:\n    while True: f.write(b'x' * (1 << 20))"),
    Attack("sparse_file", "import os\nf = open('/tmp/s', 'wb')\nf.truncate(1 << 42)\nprint(os.stat('/tmp/s').st_size)"),
    Attack("dev_shm", "open('/dev/shm/x', 'wb').write(b'x' * (1 << 30))"),
    Attack("stdout_flood", "while True: print('x' * 1000)"),
    Attack("many_files", "import os\nfor i in range(10**6): open(f'/tmp/f{i}', 'w')"),
    Attack("decompression", "import zlib\nx = b'x' * 10\nfor _ in range(60): x = zlib.compress(x * 1000)\nprint(len(x))\n"
           "while True: x += x"),
    # the kernel and the host
    Attack("mount", SYSCALL + "print(s(165, b'none', b'/tmp', b'tmpfs', 0, 0))"),
    Attack("unshare", SYSCALL + "print(s(272, 0x10000000))"),
    Attack("chroot", "import os\nos.chroot('/tmp')\nprint('done')"),
    Attack("setuid", "import os\nos.setuid(0)\nprint('root')"),
    Attack("keyctl", SYSCALL + "print(s(250, 0, -3, 0))"),
    Attack("perf_event", SYSCALL + "print(s(298, 0, 0, -1, -1, 0))"),
    Attack("userfaultfd", SYSCALL + "print(s(323, 0))"),
    Attack("io_uring", SYSCALL + "print(s(425, 8, 0))"),
    Attack("udp", "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('8.8.8.8', 53))"),
    Attack("dns", "import socket\nprint(socket.gethostbyname('example.com'))"),
    Attack("docker_socket", "import socket\nsocket.socket(socket.AF_UNIX).connect('/var/run/docker.sock')"),
    Attack("cgroup_files", "import glob\nprint([open(f).read() for f in glob.glob('/sys/fs/cgroup/*')][:1])\n"
           "open('/sys/fs/cgroup/cgroup.procs', 'w').write('1')"),
    Attack("host_home", "import os\nprint(os.listdir('/root'), os.listdir('/home'))"),
    Attack("symlink_out", "import os\nos.symlink('/etc/shadow', '/tmp/l')\nprint(open('/tmp/l').read())"),
    Attack("hardlink", "import os\nos.link('/usr/bin/python3', '/tmp/p')\nprint('done')"),
    Attack("priority", "import os\nos.nice(-20)\nprint('done')"),
    Attack("raise_own_limits", "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (10**6, 10**6))\n"
           "while True: pass"),
    Attack("import_bomb", "import sys\nsys.setrecursionlimit(10**9)\nexec('(' * 10**5 + ')' * 10**5)"),
    Attack("source_bomb", "x = " + "-" * 100_000 + "1"),
    # honest programs that a nervous sandbox would fail
    Attack("honest_big_stack", "import sys, threading\nsys.setrecursionlimit(10**6)\n"
           "threading.stack_size(128 << 20)\ndef f(n): return n and 1 + f(n - 1)\n"
           "t = threading.Thread(target=lambda: (f(20000), print(2 * int(input()))))\nt.start()\nt.join()",
           want="ok"),
    Attack("honest_sys_exit", "import sys\nprint(2 * int(sys.stdin.readline()))\nsys.exit()", want="ok"),
    Attack("honest_os_write", "import os, sys\nos.write(1, b'%d' % (2 * int(os.read(0, 100))))", want="ok"),
    Attack("honest_numpy", "import numpy as np\nprint(int(np.int64(input()) * 2))", want="ok"),
    Attack("honest_tmp_file", "open('/tmp/x', 'w').write(input())\nprint(2 * int(open('/tmp/x').read()))",
           want="ok"),
    Attack("honest_compile", "import re\nexec(compile('print(2 * int(input()))', 'x', 'exec'))", want="ok"),
    Attack("honest_stderr", "import sys\nprint('debug', file=sys.stderr)\nprint(2 * int(input()))", want="ok"),
)  # fmt: skip
