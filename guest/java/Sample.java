// Compiled once when Java is prepared, so that javac loads the classes that common programs need: see
// profiles/java.toml. It never runs.
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

public class Sample {
  record Item(String name, int price) {}

  sealed interface Shape permits Circle {
    double area();
  }

  record Circle(double radius) implements Shape {
    public double area() {
      return Math.PI * radius * radius;
    }
  }

  static <T extends Comparable<T>> T most(List<T> all) {
    return all.stream().max(Comparator.naturalOrder()).orElseThrow();
  }

  public static void main(String[] args) throws Exception {
    Map<String, Integer> counts = new HashMap<>();
    for (String each : args) counts.merge(each, 1, Integer::sum);
    Function<Integer, Integer> twice = x -> x * 2;
    System.out.println(counts + " " + most(List.of(1, 2)) + new Item("a", twice.apply(2)));
    List raw = null; // a warning, so that those are loaded as well
  }
}
