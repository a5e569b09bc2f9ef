package CoveSpawnHook;

# Loaded (perl -I DIR -MCoveSpawnHook) into an interpreter that waits for its job. It blocks until the
# job has come on descriptor 3, applies it, removes its traces and returns; perl then reads the program
# as in any other run. No pragma, no module and no %! is used here, so that %INC stays the program's
# own. The format of a job is in src/runtime/README.md.

sub import {
    my $job = '';
    open(my $stream, '<&=', 3) or CORE::exit(125);
    my $read_to = sub {
        while (length($job) < $_[0]) {
            my $n = sysread($stream, $job, $_[0] - length($job), length($job));
            next if !defined($n) && $! == 4;    # interrupted
            CORE::exit(0) if !$n;               # nobody needs this interpreter any more
        }
    };
    $read_to->(8);
    my ($magic, $size) = unpack('a4 V', $job);
    CORE::exit(125) if $magic ne 'COVJ';
    $read_to->(8 + $size);
    close($stream);

    my $count = unpack('x8 V', $job);
    my @fields = unpack('x8 V/(V/a) V/(V/a)', $job);
    push @ARGV, splice(@fields, 0, $count);
    for my $entry (@fields) {
        my $equals = index($entry, '=');
        $ENV{substr($entry, 0, $equals)} = substr($entry, $equals + 1);
    }

    my $directory = substr($INC{'CoveSpawnHook.pm'}, 0, -length('/CoveSpawnHook.pm'));
    @INC = grep { $_ ne $directory } @INC;
    delete $INC{'CoveSpawnHook.pm'};
    $! = 0;
    delete $main::{'CoveSpawnHook::'};
}

1;
