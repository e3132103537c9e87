import CKernels
import COneDNN
import Foundation
import Testing

/// Serial, for each kernel uses all threads by itself.
@Suite(.serialized) struct KernelTests {}

/// Numbers in -1 ..< 1 that are the same on every run.
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

/// Memory of one element type at 64-byte alignment, read and written as `Float`.
///
/// Never freed: the tests hand its address to C, and an optimised build ends an object's life after its
/// last use by name, which may be before the call. Freed memory would be another test's, running beside.
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

  /// The values of float32.
  var floats: UnsafeMutablePointer<Float> { pointer.assumingMemoryBound(to: Float.self) }

  var array: [Float] { (0..<count).map { self[$0] } }

  /// By definition, and slowly.
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

/// The largest difference, relative where the expected value is above 1.
func worstError(_ got: [Float], _ expected: [Double]) -> Double {
  guard got.count == expected.count else { return .infinity }
  var worst: Double = 0
  for (value, wanted) in zip(got, expected) {
    let difference = abs(Double(value) - wanted) / max(1, abs(wanted))
    if !(difference <= worst) { worst = difference.isNaN ? .infinity : difference }
  }
  return worst
}

/// Half a unit in the last place of what a type stores, with room for float32 sums.
func tolerance(_ type: ck_type) -> Double {
  switch type {
  case CK_BF16: 0.004
  case CK_F16: 0.0006
  default: 2e-5
  }
}

/// Every instruction set that this CPU has: the tests run on each.
let instructionSets: [Int32] = Array(0...ck_instructions())

/// Runs a kernel with each instruction set, on one thread and on two: it gives what is expected, and the same bits.
///
/// - Parameters:
///   - bound: the largest error, relative where the expected value is above 1.
///   - run: runs it on so many threads.
func expectResults(
  _ expected: [Double], within bound: Double, _ comment: String, of run: (Int32) throws -> [Float]
) rethrows {
  try expectResults(comment, { _ in (expected, bound) }, of: run)
}

/// The same where what is expected, and how large its error may be, depends on the instruction set.
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

/// The kinds of matrix tiles that run with the instruction set in force, as a description names them: acted ones (2)
/// and the processor's own (1), where it has some.
var kindsOfTiles: [Int32] { ck_tiles() == 1 ? [2, 1] : [2] }

/// Calls the body with each instruction set of this machine in force.
func onEachInstructionSet(_ body: (Int32) throws -> Void) rethrows {
  defer { ck_limit_instructions(3) }
  for level in instructionSets {
    ck_limit_instructions(level)
    try body(level)
  }
}
