# Inner launcher, quick: what `inner.py` does, for runs without network gates, terminal and trace.
#
# Executed: `perl -f FILE CONFIG STATUS LIFELINE`, inherited descriptors. Nothing is loaded, so no library of Perl
# need be visible. The steps have the numbers of `inner.py`. Every line here is compiled at every start.

# A system call. A number must be a number here and a string a string: that decides what the kernel gets. Strings are
# copied, since Perl hands over no constant.
sub call { my ($name, @arguments) = @_; return syscall($call{$name}, @arguments) }

sub need { my ($what, @call) = @_; my $got = call(@call); fail($what) if $got < 0; return $got }

# Say why not, and leave; the host reads it as the failure of a start.
sub fail {
    my $number = $! + 0;
    my $said = "$number [Errno $number] $!: '$_[0]'";
    call("write", $status, $said, length $said);
    call("exit_group", 125);
}

sub filter {
    my ($code) = @_;
    need("seccomp", "prctl", 22, 2, pack("S x6 P", length($code) / 8, $code), 0, 0);    # PR_SET_SECCOMP, MODE_FILTER
}

sub set_limit {
    my ($kind, $value) = @_;
    need("limit $kind", "prlimit64", 0, $kind, pack("QQ", $value, $value), 0);
}

($config, $status, $lifeline) = map { $_ + 0 } @ARGV;
open $order, "<&=", $config or die;
1 while sysread $order, $data, 65536, length $data;    # (1)
($names, $numbers, $uid, $cwd, $program, $filter, $one_shot, $limits, @lists) = unpack "(N/a*)*", $data;
@call{ split / /, $names } = map { $_ + 0 } split / /, $numbers;
($mounts, $argv, $env, $taken) = map { [unpack "(N/a*)*", $_] } @lists;
$uid += 0;
@kept = (2, sort({ $a <=> $b } $status, $lifeline), 1 << 32);
for (1 .. 3) {    # what the launchers before us left open, between those that stay
    my ($first, $last) = ($kept[$_ - 1] + 1, $kept[$_] - 1);
    need("close_range", "close_range", $first, $last, 0) if $first <= $last;
}
call("fcntl", $_, 2, 1) for $status, $lifeline;    # F_SETFD, FD_CLOEXEC

need($_, "umount2", $_, 2) for @$taken;    # (3) MNT_DETACH: programs of the host, where another system is shown
while (@$mounts) {
    my ($path, $set, $clear, $flags) = splice @$mounts, 0, 4;
    need($path, "mount_setattr", -100, $path, $flags + 0, pack("QQQQ", $set, $clear, 0, 0), 32);
}

$score = need("oom_score_adj", "openat", -100, "/proc/self/oom_score_adj", 1, 0);    # O_WRONLY
need("oom_score_adj", "write", $score, "1000", 4);
call("close", $score);
umask 022;
# (4) SECURITY: a start keeps a few capabilities to get here; none may go further.
for (0 .. 63) { last if syscall($call{prctl}, 24, $_, 0, 0, 0) < 0 }    # PR_CAPBSET_DROP; refused for one, for all
if ($> != $uid) {
    need("setgroups", "setgroups", 0, 0);
    need("setresgid", "setresgid", $uid, $uid, $uid);
    need("setresuid", "setresuid", $uid, $uid, $uid);
}
call("prctl", 47, 4, 0, 0, 0);    # PR_CAP_AMBIENT, CLEAR_ALL
need("capset", "capset", pack("Ll", 0x20080522, 0), "\0" x 24);
call("prctl", 1, 9, 0, 0, 0);    # PR_SET_PDEATHSIG
# SECURITY: PID 1 has the uid of the program; this closes its /proc entries and ptrace.
call("prctl", 4, 0, 0, 0, 0);    # PR_SET_DUMPABLE
filter($filter);    # (5)

$ended = pack "Q", 1 << 16;    # SIGCHLD
call("rt_sigprocmask", 0, $ended, 0, 8);
$child = fork;    # (6)
fail("fork") if !defined $child;
if ($child) {    # PID 1: keep nothing but the lifeline; reap until the program or the host ends
    my $null = need("/dev/null", "openat", -100, "/dev/null", 2, 0);
    call("dup3", $null, $_, 0) for 0, 1, 2;
    call("close", $_) for $null, $status;
    $SIG{CHLD} = sub { };    # or it would not wake us
    my $none = pack "Q", 0;
    while (1) {
        while ((my $pid = waitpid -1, 1) != 0) {    # WNOHANG
            call("exit_group", 125) if $pid < 0;
            call("exit_group", $? & 127 ? 128 + ($? & 127) : $? >> 8) if $pid == $child;
        }
        my $events = pack "lss", $lifeline, 0, 0;
        syscall($call{ppoll}, $events, 1, 0, $none, 8);    # signals are heard in here alone
        call("exit_group", 125) if unpack "x6 s", $events;    # the host ended
    }
}
call("prctl", 1, 9, 0, 0, 0);    # PR_SET_PDEATHSIG
call("close", $lifeline);
call("rt_sigprocmask", 2, pack("Q", 0), 0, 8);
call("rt_sigaction", 8, "\0" x 32, 0, 8);    # SIGFPE, SIG_DFL: Perl ignores it
@limits = split / /, $limits;
set_limit(shift(@limits) + 0, shift(@limits) + 0) while @limits;    # (7)
call("setsid") if call("getsid", 0) != $$;
$ruleset = call("landlock_create_ruleset", pack("QQQ", 0, 0, 3), 24, 0);    # (9)
if ($ruleset >= 0) {
    call("landlock_restrict_self", $ruleset, 0);
    call("close", $ruleset);
}
chdir $cwd or fail($cwd);    # only now: root without capabilities may not enter a private folder
($arguments, $variables) = (pack("p*", @$argv, undef), pack("p*", @$env, undef));
call("write", $status, "S", 1);    # all is set up; what follows on this pipe is a failed exec
if (length $one_shot) {    # (10)
    my $opened = need($program, "openat", -100, $program, 0x80000, 0);    # O_CLOEXEC
    need("program", "dup3", $opened, 1000, 0x80000);
    call("close", $opened);
    # SECURITY: descriptors must be limited below 1000 before the filter permits that number.
    set_limit(7, 900);    # RLIMIT_NOFILE
    filter($one_shot);
    call("execveat", 1000, "", $arguments, $variables, 0x1000);    # AT_EMPTY_PATH
    fail("execveat");
}
call("execve", $program, $arguments, $variables);
fail($program);
