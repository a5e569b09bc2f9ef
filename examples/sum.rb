# Adds up what stands on stdin: cove run examples/sum.rb --stdin FILE
puts STDIN.each_line.sum(&:to_i)
