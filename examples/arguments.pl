# Arguments come after "--", variables from --env: cove run examples/arguments.pl --env NAME=x -- a b
use strict;
use warnings;
print "NAME=$ENV{NAME}\n";
print "$_: $ARGV[$_]\n" for 0 .. $#ARGV;
exit 3;
