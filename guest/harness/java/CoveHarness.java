// The main of a harnessed Java program, which provides a static method run of one argument. JSON is null,
// Boolean, Long, BigInteger (what a Long cannot hold), Double, String, List<Object> and Map<String, Object>.
// In a package of its own, since the program may have a class that is called Character.
package cove;

import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

final class CoveHarness {
    private static final String SIGNATURE = "static Object run(Object input)";

    private final String text;
    private int at;

    private CoveHarness(String text) {
        this.text = text;
    }

    public static void main(String[] args) throws Throwable {
        PrintStream stdout = System.out; // the program may set another
        String input = Files.readString(Path.of(args[1]).resolveSibling("input.json"));
        Method run = find(programClass(args[0]));
        Object value = new CoveHarness(input).document();
        Class<?> wanted = run.getParameterTypes()[0];
        if (value instanceof Long whole) {
            if (wanted == int.class || wanted == Integer.class) value = Math.toIntExact(whole);
            if (wanted == double.class || wanted == Double.class) value = (double) whole;
            if (wanted == BigInteger.class) value = BigInteger.valueOf(whole);
        }
        Object output;
        try {
            output = run.invoke(null, value);
        } catch (InvocationTargetException failed) {
            throw failed.getCause();
        } catch (IllegalArgumentException wrong) {
            throw fail("the input does not fit the argument of run, a " + wanted.getName());
        }
        StringBuilder line = new StringBuilder();
        write(line, output);
        System.out.flush();
        // Always on a line of its own: what is in front of that newline is what the program printed.
        stdout.write(("\n" + line + "\n").getBytes(StandardCharsets.UTF_8));
        stdout.flush();
    }

    private static RuntimeException fail(String why) {
        System.err.println(why);
        System.exit(1);
        return new IllegalStateException(why);
    }

    private static Class<?> programClass(String name) throws Throwable {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException none) {
            throw fail("the program has no class with a method `" + SIGNATURE + "`, which the harness calls");
        }
    }

    // Why the harness cannot call it; empty: it can.
    private static String problem(Method run) {
        List<String> wrong = new ArrayList<>();
        int arguments = run.getParameterCount();
        if (!Modifier.isStatic(run.getModifiers())) wrong.add("is not static");
        if (arguments != 1) wrong.add("takes " + (arguments == 0 ? "no argument" : arguments + " arguments"));
        if (run.getReturnType() == void.class) wrong.add("returns nothing (void)");
        return String.join(", ", wrong);
    }

    private static Method find(Class<?> type) {
        Method found = null;
        String wrong = "";
        for (Method method : type.getDeclaredMethods()) {
            if (!method.getName().equals("run") || method.isSynthetic()) continue;
            String problem = problem(method);
            if (!problem.isEmpty()) {
                wrong = problem;
                continue;
            }
            if (found == null || method.getParameterTypes()[0] == Object.class) found = method;
        }
        if (found == null && !wrong.isEmpty()) {
            throw fail("the harness cannot call `run` of class " + type.getName() + ", which " + wrong
                + ": it must be `" + SIGNATURE + "`");
        }
        if (found == null) {
            throw fail("class " + type.getName() + " has no method `" + SIGNATURE + "`, which the harness calls");
        }
        found.setAccessible(true);
        return found;
    }

    private static void write(StringBuilder out, Object value) {
        if (value == null || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof Double || value instanceof Float) {
            double number = ((Number) value).doubleValue();
            if (Double.isNaN(number) || Double.isInfinite(number)) throw fail("JSON has no " + value);
            out.append(value);
        } else if (value instanceof Number) {
            out.append(value);
        } else if (value instanceof Map<?, ?> map) {
            String separator = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.append(separator);
                quote(out, String.valueOf(entry.getKey()));
                out.append(':');
                write(out, entry.getValue());
                separator = ",";
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof Iterable<?> items) {
            writeItems(out, items);
        } else if (value.getClass().isArray()) {
            List<Object> items = new ArrayList<>();
            for (int i = 0; i < java.lang.reflect.Array.getLength(value); ++i) {
                items.add(java.lang.reflect.Array.get(value, i));
            }
            writeItems(out, items);
        } else if (value instanceof CharSequence || value instanceof Character || value instanceof Enum<?>) {
            quote(out, value.toString());
        } else {
            throw fail("run(input) returned a value that JSON cannot express: a " + value.getClass().getName());
        }
    }

    private static void writeItems(StringBuilder out, Iterable<?> items) {
        String separator = "[";
        for (Object item : items) {
            out.append(separator);
            write(out, item);
            separator = ",";
        }
        out.append(separator.equals("[") ? "[]" : "]");
    }

    private static void quote(StringBuilder out, String text) {
        out.append('"');
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20 || Character.isSurrogate(c)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    private Object document() {
        Object value = value();
        space();
        if (at != text.length()) throw notJson();
        return value;
    }

    private RuntimeException notJson() {
        return fail("the input is not JSON");
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) ++at;
    }

    private boolean take(String wanted) {
        if (!text.startsWith(wanted, at)) return false;
        at += wanted.length();
        return true;
    }

    private Object value() {
        space();
        if (take("null")) return null;
        if (take("true")) return true;
        if (take("false")) return false;
        if (take("[")) return array();
        if (take("{")) return object();
        if (text.startsWith("\"", at)) return string();
        int start = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) ++at;
        String digits = text.substring(start, at);
        try {
            if (!digits.matches("-?[0-9]+")) return Double.valueOf(digits);
            BigInteger whole = new BigInteger(digits);
            if (whole.bitLength() < Long.SIZE) return whole.longValue();
            return whole;
        } catch (NumberFormatException wrong) {
            throw notJson();
        }
    }

    private List<Object> array() {
        List<Object> items = new ArrayList<>();
        space();
        if (take("]")) return items;
        do {
            items.add(value());
            space();
        } while (take(","));
        if (!take("]")) throw notJson();
        return items;
    }

    private Map<String, Object> object() {
        Map<String, Object> members = new LinkedHashMap<>();
        space();
        if (take("}")) return members;
        do {
            space();
            String name = string();
            space();
            if (!take(":")) throw notJson();
            members.put(name, value());
            space();
        } while (take(","));
        if (!take("}")) throw notJson();
        return members;
    }

    private String string() {
        if (!take("\"")) throw notJson();
        StringBuilder out = new StringBuilder();
        while (at < text.length() && text.charAt(at) != '"') {
            char c = text.charAt(at++);
            if (c != '\\' || at >= text.length()) {
                out.append(c);
                continue;
            }
            char escaped = text.charAt(at++);
            int known = "bfnrt".indexOf(escaped);
            if (escaped == 'u' && at + 4 <= text.length()) {
                out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                at += 4;
            } else {
                out.append(known >= 0 ? "\b\f\n\r\t".charAt(known) : escaped);
            }
        }
        if (!take("\"")) throw notJson();
        return out.toString();
    }
}
