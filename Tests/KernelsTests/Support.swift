import CKernels
import COneDNN
import Foundation
import Testing

/// The suites of kernels. They run one after the other, because each kernel uses all threads.
@Suite(.serialized) struct KernelTests {}

/// Pseudo-random numbers in −1…1. The numbers are identical in every run.
struct Numbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 2_862_933_555_777_941_757 &+ 3_037_000_493 }

  mutating func integer(below limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(limit))
  }

  mutating func next() -> Float { Float(integer(below: 20_001) - 10_000) / 10_000 }

  mutating func array(_ count: Int) -> [Float] { (0..<count).map { _ in next() } }
}

/// Memory with 64-byte alignment for values of one element type. Tests read and write the values as `Float`.
///
/// The memory is never freed. The tests pass the address of the memory to C. In an optimised build, the life of this
/// object may end after the last use of its name, before the call of the C function. If the memory were freed then, a
/// concurrent test could reuse it.
final class Values {
  let pointer: UnsafeMutableRawPointer
  let type: ck_type
  let count: Int

  init(_ type: ck_type, count: Int) {
    self.type = type
    self.count = count
    pointer = .allocate(byteCount: max(count, 1) * 4 + 64, alignment: 64)
    memset(pointer, 0x5a, max(count, 1) * 4 + 64)
  }

  convenience init(_ type: ck_type, _ values: [Float]) {
    self.init(type, count: values.count)
    for (index, value) in values.enumerated() { self[index] = value }
  }

  subscript(index: Int) -> Float {
    get {
      switch type {
      case CK_F32: return pointer.load(fromByteOffset: index * 4, as: Float.self)
      case CK_F16:
        return Values.halfToFloat(pointer.load(fromByteOffset: index * 2, as: UInt16.self))
      default:
        let bits: UInt16 = pointer.load(fromByteOffset: index * 2, as: UInt16.self)
        return Float(bitPattern: UInt32(bits) << 16)
      }
    }
    set {
      switch type {
      case CK_F32: pointer.storeBytes(of: newValue, toByteOffset: index * 4, as: Float.self)
      case CK_F16:
        pointer.storeBytes(
          of: Values.floatToHalf(newValue), toByteOffset: index * 2, as: UInt16.self)
      default:
        let bits: UInt32 = TileDefinition.rounded(newValue).bitPattern
        pointer.storeBytes(of: UInt16(bits >> 16), toByteOffset: index * 2, as: UInt16.self)
      }
    }
  }

  /// The memory as float32 values.
  var floats: UnsafeMutablePointer<Float> { pointer.assumingMemoryBound(to: Float.self) }

  var array: [Float] { (0..<count).map { self[$0] } }

  /// Decodes float16 as the format's definition says. Slow, but independent of the processor's conversion.
  static func halfToFloat(_ bits: UInt16) -> Float {
    let sign: Float = bits & 0x8000 == 0 ? 1 : -1
    let exponent = Int((bits >> 10) & 31)
    let fraction = Float(bits & 1023)
    if exponent == 31 { return fraction == 0 ? sign * .infinity : .nan }
    if exponent == 0 { return sign * fraction * Float(sign: .plus, exponent: -24, significand: 1) }
    return sign * (1 + fraction / 1024)
      * Float(sign: .plus, exponent: exponent - 15, significand: 1)
  }

  static func floatToHalf(_ value: Float) -> UInt16 {
    let sign: UInt16 = value.sign == .minus ? 0x8000 : 0
    let magnitude = abs(value)
    if value.isNaN { return 0x7e00 }
    if magnitude >= 65520 { return sign | 0x7c00 }
    if magnitude < 0x1p-14 { return sign | UInt16((magnitude * 0x1p24).rounded(.toNearestOrEven)) }
    let exponent = Int(magnitude.exponent)
    let scaled = (magnitude / Float(sign: .plus, exponent: exponent, significand: 1) - 1) * 1024
    let fraction = UInt16(scaled.rounded(.toNearestOrEven))
    return sign | (UInt16(exponent + 15) << 10) &+ fraction
  }
}

/// Returns the largest error. An error is relative for expected values above 1, and absolute for other values.
func worstError(_ got: [Float], _ expected: [Double]) -> Double {
  guard got.count == expected.count else { return .infinity }
  var worst: Double = 0
  for (value, wanted) in zip(got, expected) {
    let difference = abs(Double(value) - wanted) / max(1, abs(wanted))
    if !(difference <= worst) { worst = difference.isNaN ? .infinity : difference }
  }
  return worst
}

/// Returns half a unit in the last place of the storage type, plus a margin for float32 sums.
func tolerance(_ type: ck_type) -> Double {
  switch type {
  case CK_BF16: 0.004
  case CK_F16: 0.0006
  default: 2e-5
  }
}

/// Every instruction set of this CPU. The tests run on each of them.
let instructionSets: [Int32] = Array(0...ck_instructions())

/// Runs a kernel with each instruction set, on one thread and on two threads. Checks the result. Also checks that both
/// numbers of threads give the same bits.
///
/// - Parameters:
///   - bound: the largest allowed error. It is relative for expected values above 1, and absolute for other values.
///   - run: runs the kernel on the given number of threads.
func expectResults(
  _ expected: [Double], within bound: Double, _ comment: String, of run: (Int32) throws -> [Float]
) rethrows {
  try expectResults(comment, { _ in (expected, bound) }, of: run)
}

/// Checks results like the function above, with an expected result and a tolerance for each instruction set.
func expectResults(
  _ comment: String, _ definition: (Int32) -> (values: [Double], bound: Double),
  of run: (Int32) throws -> [Float]
) rethrows {
  try onEachInstructionSet { level in
    let (expected, bound) = definition(level)
    defer { adnn_set_threads(2) }
    let results: [[Float]] = try [Int32(1), 2].map { threads in
      adnn_set_threads(threads)
      return try run(threads)
    }
    #expect(worstError(results[0], expected) < bound, "instructions \(level), \(comment)")
    #expect(results[0] == results[1], "instructions \(level), \(comment)")
  }
}

/// The values of a description's `matrix_tiles` that can run with the current instruction set. The value 2 means
/// emulated tiles. The value 1 means the processor's own tiles, and occurs only if the processor has them.
var kindsOfTiles: [Int32] { ck_has_matrix_tiles() == 1 ? [2, 1] : [2] }

/// Calls the body once for each instruction set of this machine. During a call, the kernels use this instruction set.
func onEachInstructionSet(_ body: (Int32) throws -> Void) rethrows {
  defer { ck_limit_instructions(3) }
  for level in instructionSets {
    ck_limit_instructions(level)
    try body(level)
  }
}
