import Accelerate
import Testing

/// A call of an elementwise function: the arguments, their strides, the result, its stride, the number of elements.
typealias Call<T> = ([UnsafePointer<T>], [Int], UnsafeMutablePointer<T>, Int, UInt) -> Void
typealias In<T> = UnsafePointer<T>
typealias Out<T> = UnsafeMutablePointer<T>

// A function's parameters by its family. `v` is a vector and `s` a scalar.

func v<T>(_ f: @escaping (In<T>, Int, Out<T>, Int, UInt) -> Void) -> Call<T> {
  { p, s, r, t, n in f(p[0], s[0], r, t, n) }
}
func vv<T>(_ f: @escaping (In<T>, Int, In<T>, Int, Out<T>, Int, UInt) -> Void) -> Call<T> {
  { p, s, r, t, n in f(p[0], s[0], p[1], s[1], r, t, n) }
}
func vs<T>(_ f: @escaping (In<T>, Int, In<T>, Out<T>, Int, UInt) -> Void) -> Call<T> {
  { p, s, r, t, n in f(p[0], s[0], p[1], r, t, n) }
}
func sv<T>(_ f: @escaping (In<T>, In<T>, Int, Out<T>, Int, UInt) -> Void) -> Call<T> {
  { p, s, r, t, n in f(p[0], p[1], s[1], r, t, n) }
}
func vss<T>(_ f: @escaping (In<T>, Int, In<T>, In<T>, Out<T>, Int, UInt) -> Void) -> Call<T> {
  { p, s, r, t, n in f(p[0], s[0], p[1], p[2], r, t, n) }
}
func vvs<T>(
  _ f: @escaping (In<T>, Int, In<T>, Int, In<T>, Out<T>, Int, UInt) -> Void
) -> Call<T> {
  { p, s, r, t, n in f(p[0], s[0], p[1], s[1], p[2], r, t, n) }
}
func vsv<T>(
  _ f: @escaping (In<T>, Int, In<T>, In<T>, Int, Out<T>, Int, UInt) -> Void
) -> Call<T> {
  { p, s, r, t, n in f(p[0], s[0], p[1], p[2], s[2], r, t, n) }
}
func vvv<T>(
  _ f: @escaping (In<T>, Int, In<T>, Int, In<T>, Int, Out<T>, Int, UInt) -> Void
) -> Call<T> {
  { p, s, r, t, n in f(p[0], s[0], p[1], s[1], p[2], s[2], r, t, n) }
}
func vvvv<T>(
  _ f: @escaping (In<T>, Int, In<T>, Int, In<T>, Int, In<T>, Int, Out<T>, Int, UInt) -> Void
) -> Call<T> {
  { p, s, r, t, n in f(p[0], s[0], p[1], s[1], p[2], s[2], p[3], s[3], r, t, n) }
}
func vsvs<T>(
  _ f: @escaping (In<T>, Int, In<T>, In<T>, Int, In<T>, Out<T>, Int, UInt) -> Void
) -> Call<T> {
  { p, s, r, t, n in f(p[0], s[0], p[1], p[2], s[2], p[3], r, t, n) }
}

/// A function in both precisions, its arguments (`v` or `s` each), and its definition for one element.
struct Elementwise: CustomTestStringConvertible, @unchecked Sendable {
  let name: String
  let arguments: String
  let single: Call<Float>
  let double: Call<Double>
  let definition: ([Double]) -> Double

  init(
    _ name: String, _ arguments: String, _ single: @escaping Call<Float>,
    _ double: @escaping Call<Double>, _ definition: @escaping ([Double]) -> Double
  ) {
    (self.name, self.arguments, self.single, self.double) = (name, arguments, single, double)
    self.definition = definition
  }

  var testDescription: String { name }

  /// Apple's documentation of vDSP gives the formulas.
  static let all: [Elementwise] = [
    .init("vneg", "v", v(vDSP_vneg), v(vDSP_vnegD)) { -$0[0] },
    .init("vabs", "v", v(vDSP_vabs), v(vDSP_vabsD)) { abs($0[0]) },
    .init("vnabs", "v", v(vDSP_vnabs), v(vDSP_vnabsD)) { -abs($0[0]) },
    .init("vsq", "v", v(vDSP_vsq), v(vDSP_vsqD)) { $0[0] * $0[0] },
    .init("vssq", "v", v(vDSP_vssq), v(vDSP_vssqD)) { $0[0] * abs($0[0]) },
    .init("vfrac", "v", v(vDSP_vfrac), v(vDSP_vfracD)) { $0[0] - $0[0].rounded(.towardZero) },
    .init("vadd", "vv", vv(vDSP_vadd), vv(vDSP_vaddD)) { $0[0] + $0[1] },
    .init("vsub", "vv", vv(vDSP_vsub), vv(vDSP_vsubD)) { $0[1] - $0[0] },
    .init("vmul", "vv", vv(vDSP_vmul), vv(vDSP_vmulD)) { $0[0] * $0[1] },
    .init("vdiv", "vv", vv(vDSP_vdiv), vv(vDSP_vdivD)) { $0[1] / $0[0] },
    .init("vmax", "vv", vv(vDSP_vmax), vv(vDSP_vmaxD)) { max($0[0], $0[1]) },
    .init("vmin", "vv", vv(vDSP_vmin), vv(vDSP_vminD)) { min($0[0], $0[1]) },
    .init("vmaxmg", "vv", vv(vDSP_vmaxmg), vv(vDSP_vmaxmgD)) { max(abs($0[0]), abs($0[1])) },
    .init("vminmg", "vv", vv(vDSP_vminmg), vv(vDSP_vminmgD)) { min(abs($0[0]), abs($0[1])) },
    .init("vdist", "vv", vv(vDSP_vdist), vv(vDSP_vdistD)) {
      ($0[0] * $0[0] + $0[1] * $0[1]).squareRoot()
    },
    .init("vsadd", "vs", vs(vDSP_vsadd), vs(vDSP_vsaddD)) { $0[0] + $0[1] },
    .init("vsmul", "vs", vs(vDSP_vsmul), vs(vDSP_vsmulD)) { $0[0] * $0[1] },
    .init("vsdiv", "vs", vs(vDSP_vsdiv), vs(vDSP_vsdivD)) { $0[0] / $0[1] },
    .init("svdiv", "sv", sv(vDSP_svdiv), sv(vDSP_svdivD)) { $0[0] / $0[1] },
    .init("vthr", "vs", vs(vDSP_vthr), vs(vDSP_vthrD)) { max($0[0], $0[1]) },
    .init("vthres", "vs", vs(vDSP_vthres), vs(vDSP_vthresD)) { $0[0] < $0[1] ? 0 : $0[0] },
    .init("vsmsa", "vss", vss(vDSP_vsmsa), vss(vDSP_vsmsaD)) { $0[0] * $0[1] + $0[2] },
    .init("vclip", "vss", vss(vDSP_vclip), vss(vDSP_vclipD)) { min(max($0[0], $0[1]), $0[2]) },
    .init("viclip", "vss", vss(vDSP_viclip), vss(vDSP_viclipD)) {
      $0[1] < $0[0] && $0[0] < $0[2] ? ($0[0] < 0 ? $0[1] : $0[2]) : $0[0]
    },
    .init("vlim", "vss", vss(vDSP_vlim), vss(vDSP_vlimD)) { $0[0] < $0[1] ? -$0[2] : $0[2] },
    .init("vthrsc", "vss", vss(vDSP_vthrsc), vss(vDSP_vthrscD)) { $0[0] < $0[1] ? -$0[2] : $0[2] },
    .init("vasm", "vvs", vvs(vDSP_vasm), vvs(vDSP_vasmD)) { ($0[0] + $0[1]) * $0[2] },
    .init("vsbsm", "vvs", vvs(vDSP_vsbsm), vvs(vDSP_vsbsmD)) { ($0[0] - $0[1]) * $0[2] },
    .init("vmsa", "vvs", vvs(vDSP_vmsa), vvs(vDSP_vmsaD)) { $0[0] * $0[1] + $0[2] },
    .init("vintb", "vvs", vvs(vDSP_vintb), vvs(vDSP_vintbD)) { $0[0] + $0[2] * ($0[1] - $0[0]) },
    .init("vsma", "vsv", vsv(vDSP_vsma), vsv(vDSP_vsmaD)) { $0[0] * $0[1] + $0[2] },
    .init("vsmsb", "vsv", vsv(vDSP_vsmsb), vsv(vDSP_vsmsbD)) { $0[0] * $0[1] - $0[2] },
    .init("vma", "vvv", vvv(vDSP_vma), vvv(vDSP_vmaD)) { $0[0] * $0[1] + $0[2] },
    .init("vmsb", "vvv", vvv(vDSP_vmsb), vvv(vDSP_vmsbD)) { $0[0] * $0[1] - $0[2] },
    .init("vam", "vvv", vvv(vDSP_vam), vvv(vDSP_vamD)) { ($0[0] + $0[1]) * $0[2] },
    .init("vsbm", "vvv", vvv(vDSP_vsbm), vvv(vDSP_vsbmD)) { ($0[0] - $0[1]) * $0[2] },
    .init("vaam", "vvvv", vvvv(vDSP_vaam), vvvv(vDSP_vaamD)) { ($0[0] + $0[1]) * ($0[2] + $0[3]) },
    .init("vsbsbm", "vvvv", vvvv(vDSP_vsbsbm), vvvv(vDSP_vsbsbmD)) {
      ($0[0] - $0[1]) * ($0[2] - $0[3])
    },
    .init("vasbm", "vvvv", vvvv(vDSP_vasbm), vvvv(vDSP_vasbmD)) {
      ($0[0] + $0[1]) * ($0[2] - $0[3])
    },
    .init("vmma", "vvvv", vvvv(vDSP_vmma), vvvv(vDSP_vmmaD)) { $0[0] * $0[1] + $0[2] * $0[3] },
    .init("vmmsb", "vvvv", vvvv(vDSP_vmmsb), vvvv(vDSP_vmmsbD)) { $0[0] * $0[1] - $0[2] * $0[3] },
    .init("vpythg", "vvvv", vvvv(vDSP_vpythg), vvvv(vDSP_vpythgD)) {
      let (x, y) = ($0[0] - $0[2], $0[1] - $0[3])
      return (x * x + y * y).squareRoot()
    },
    .init("vsmsma", "vsvs", vsvs(vDSP_vsmsma), vsvs(vDSP_vsmsmaD)) {
      $0[0] * $0[1] + $0[2] * $0[3]
    },
  ]
}

@Suite struct ElementwiseTests {
  /// Strides of up to four arguments, and of the result.
  static let strides = [[1, 1, 1, 1, 1], [3, 1, 5, 2, 1], [1, 3, 2, 7, 3], [-1, 2, -3, 1, -5]]

  @Test(
    "An elementwise function computes its definition with any strides", arguments: Elementwise.all)
  func computes(function: Elementwise) {
    for length in lengths {
      for strides in Self.strides {
        check(function, function.single, length, strides)
        check(function, function.double, length, strides)
      }
    }
  }

  @Test("A result may be stored in the memory of the first vector", arguments: Elementwise.all)
  func computesInPlace(function: Elementwise) {
    for stride in [1, 3] {
      checkInPlace(function, function.single, stride)
      checkInPlace(function, function.double, stride)
    }
  }

  private func arguments<T: BinaryFloatingPoint>(
    _ function: Elementwise, _ length: Int, _ strides: [Int], _ type: T.Type
  ) -> [Strided<T>] {
    var numbers = Numbers(seed: length)
    var scalars = [-1.5, 2.25]
    return function.arguments.enumerated().map { index, kind in
      if kind == "v" {
        return Strided<T>(count: length, stride: strides[index]) { _ in Double(T(numbers.next())) }
      }
      let scalar = scalars.removeFirst()
      return Strided<T>(count: 1, stride: 1) { _ in scalar }
    }
  }

  private func expected<T>(
    _ function: Elementwise, _ arguments: [Strided<T>], _ length: Int
  ) -> [Double] {
    let vectors = zip(arguments, function.arguments).map { argument, kind in
      kind == "v" ? argument.values : [Double](repeating: argument.values[0], count: length)
    }
    return (0..<length).map { index in function.definition(vectors.map { $0[index] }) }
  }

  private func call<T>(
    _ call: Call<T>, _ arguments: [Strided<T>], _ result: UnsafeMutablePointer<T>, _ stride: Int,
    _ length: Int, pointers: [UnsafePointer<T>] = []
  ) {
    guard pointers.count < arguments.count else {
      return call(pointers, arguments.map(\.stride), result, stride, UInt(length))
    }
    let next = arguments[pointers.count]
    next.memory.withUnsafeBufferPointer {
      self.call(
        call, arguments, result, stride, length,
        pointers: pointers + [$0.baseAddress! + max(next.first, 0)])
    }
  }

  private func check<T: BinaryFloatingPoint>(
    _ function: Elementwise, _ code: Call<T>, _ length: Int, _ strides: [Int]
  ) {
    let arguments = arguments(function, length, strides, T.self)
    var result = Strided<T>(count: length, stride: strides[4]) { _ in 55 }
    let first = max(result.first, 0)
    result.memory.withUnsafeMutableBufferPointer {
      call(code, arguments, $0.baseAddress! + first, strides[4], length)
    }
    let sentence: Comment = "\(T.self), \(length) elements, strides \(strides)"
    #expect(areClose(result.values, expected(function, arguments, length), T.self), sentence)
    #expect(result.isIntact, sentence)
  }

  private func checkInPlace<T: BinaryFloatingPoint>(
    _ function: Elementwise, _ code: Call<T>, _ stride: Int
  ) {
    var arguments = arguments(function, 100, [stride, stride, stride, stride], T.self)
    let expected = expected(function, arguments, 100)
    guard let vector = function.arguments.firstIndex(of: "v") else { return }
    let index = function.arguments.distance(from: function.arguments.startIndex, to: vector)
    // The vector and the result share this memory. Swift does not check exclusive access to allocated memory.
    let memory = UnsafeMutableBufferPointer<T>.allocate(capacity: arguments[index].memory.count)
    defer { memory.deallocate() }
    _ = memory.initialize(from: arguments[index].memory)
    let original = arguments
    let redirected: Call<T> = { pointers, strides, result, resultStride, count in
      var pointers = pointers
      pointers[index] = UnsafePointer(memory.baseAddress!)
      code(pointers, strides, result, resultStride, count)
    }
    call(redirected, original, memory.baseAddress!, stride, 100)
    arguments[index].memory = Array(memory)
    #expect(areClose(arguments[index].values, expected, T.self), "\(T.self), stride \(stride)")
  }
}
