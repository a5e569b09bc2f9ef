import cProfile
import io
import pstats


def f():
    return sum(range(100))


profile = cProfile.Profile()
profile.runcall(f)
stats = pstats.Stats(profile, stream=io.StringIO())
print(stats.total_calls)
