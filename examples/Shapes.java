import java.util.List;

interface Shape {
    double area();
}

record Square(double side) implements Shape {
    public double area() {
        return side * side;
    }
}

record Circle(double radius) implements Shape {
    public double area() {
        return Math.PI * radius * radius;
    }
}

public class Shapes {
    public static void main(String[] args) {
        for (Shape shape : List.of(new Square(2), new Circle(1))) {
            System.out.printf("%s: %.2f%n", shape, shape.area());
        }
    }
}
