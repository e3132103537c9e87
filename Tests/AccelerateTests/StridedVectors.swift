import Accelerate
import Testing

/// The lengths that every function is tested with.
let lengths = [0, 1, 17, 1_000]

/// Numbers from -4 to 4 that are the same in every run.
struct Numbers {
  private var state: UInt64

  init(seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 40) / Double(1 << 24) * 8 - 4
  }
}

/// A vector with a stride in memory. The memory between its elements holds `unused`.
struct Strided<T: BinaryFloatingPoint> {
  static var unused: T { 777 }

  var memory: [T]
  let stride: Int
  let count: Int

  /// The index in memory of element 0. With a negative stride, element 0 is the last element in memory.
  var first: Int { stride < 0 ? (count - 1) * -stride : 0 }

  init(count: Int, stride: Int, _ value: (Int) -> Double) {
    self.stride = stride
    self.count = count
    memory = [T](repeating: Self.unused, count: max(count, 1) * abs(stride) + 3)
    for index in 0..<count { memory[index * stride + (count > 0 ? first : 0)] = T(value(index)) }
  }

  var values: [Double] { (0..<count).map { Double(memory[first + $0 * stride]) } }

  /// True if the memory between the elements was not changed.
  var isIntact: Bool {
    memory.indices.allSatisfy {
      ($0 % abs(stride) == 0 && $0 / abs(stride) < count) || memory[$0] == Self.unused
    }
  }
}

/// True if both numbers are NaN, or if they differ by a few rounding errors of T for values of size 100.
func isClose<T: BinaryFloatingPoint>(
  _ found: Double, _ expected: Double, _ type: T.Type, tolerance: Double = 32
) -> Bool {
  if found == expected || (found.isNaN && expected.isNaN) { return true }
  return abs(found - expected) <= tolerance * Double(T.ulpOfOne) * (1 + abs(expected))
}

func areClose<T: BinaryFloatingPoint>(
  _ found: [Double], _ expected: [Double], _ type: T.Type, tolerance: Double = 32
) -> Bool {
  found.count == expected.count
    && zip(found, expected).allSatisfy { isClose($0, $1, type, tolerance: tolerance) }
}
