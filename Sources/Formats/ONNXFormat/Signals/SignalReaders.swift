import Foundation
import Graph
import Operators

/// Window functions, and Fourier transforms.
enum SignalReaders {
  static let all: [NodeReader] = [
    window("BlackmanWindow", [0.42, -0.5, 0.08]),
    window("HannWindow", [0.5, -0.5]),
    window("HammingWindow", [25.0 / 46, -21.0 / 46]),
    NodeReader("DFT", as: [BatchedMatMulOperator.self]) { [try $0.fourier()] },
    NodeReader("MelWeightMatrix", as: []) { [try $0.melWeights()] },
  ]

  /// Makes the reader of a window function. The function is a weighted sum of cosines. The arguments of the cosines are
  /// 0, 1, 2 … times an angle that runs from 0 to 2π over the window.
  private static func window(_ name: String, _ factors: [Double]) -> NodeReader {
    NodeReader(name, as: []) { node in
      let element = try ElementType(onnx: Int32(clamping: node.int("output_datatype", or: 1)))
      let isPeriodic: Bool = node.flag("periodic", or: true)
      guard let size = try node.ints(at: 0)?.first else {
        return [try node.held(node.window(factors, isPeriodic: isPeriodic), as: element)]
      }
      guard (0...1 << 24).contains(size) else {
        throw node.invalid("the size is \(size), expected a number from 0 to 2²⁴.")
      }
      let period = Double(isPeriodic ? size : max(1, size - 1))
      let values = try Constant.computed([size], "\(name) of \(size) within \(period)") {
        (0..<size).map { position in
          let angle: Double = 2 * .pi * Double(position) / period
          return Float(
            factors.enumerated().reduce(0.0) { $0 + $1.element * cos(Double($1.offset) * angle) })
        }
      }
      return [try node.held(node.builder.addConstant(values, name: node.name), as: element)]
    }
  }
}

extension ONNXNode {
  /// Computes a window whose length is known only at run time.
  fileprivate func window(_ factors: [Double], isPeriodic: Bool) throws -> Graph.ValueID {
    let size = try reshaped(integer(tensor(0)), to: [1])
    let period =
      isPeriodic ? size : try join(.maximum, join(.subtract, size, constant([1])), constant([1]))
    let turns = try join(
      .divide, add(CastOperator(to: .float32), positions(below: size)),
      add(CastOperator(to: .float32), period))
    var sum: Graph.ValueID?
    for (multiple, factor) in factors.enumerated() {
      let angle = try scaled(turns, by: 2 * .pi * Float(multiple))
      let part = try scaled(map(.cosine, angle), by: Float(factor))
      sum = try sum.map { try join(.add, $0, part) } ?? part
    }
    return sum ?? turns
  }

  /// Computes the Fourier transform of a signal along an axis, as a product with a matrix of sines and cosines.
  fileprivate func fourier() throws -> ONNXTensor {
    let x: ONNXTensor = try tensor(0)
    let extents: [Int?] = try extents(x)
    let rank: Int = extents.count
    guard rank >= 2, let last = extents.last else {
      throw invalid("the signal has \(rank) axes, expected 2 or more.")
    }
    guard let kind = last else { throw unknownExtent(ofAxis: rank - 1, of: "the signal") }
    guard kind == 1 || kind == 2 else {
      throw invalid("the signal has \(kind) numbers per element, expected 1 or 2.")
    }
    let stated: Int =
      version < 20
      ? int("axis", or: 1) : try knownInts(at: 2, "the axis")?.first ?? -2
    let axis: Int = try axis(stated, rank: rank)
    guard axis < rank - 1 else { throw invalid("the axis is that of the complex numbers.") }
    let (isInverse, isOneSided) = (flag("inverse"), flag("onesided"))
    let isKnownLength: Bool = try optional(1).map { try constant($0) != nil } ?? true
    guard let own = extents[axis], isKnownLength else {
      return try computedFourier(x, axis: axis, rank: rank, isComplex: kind == 2)
    }
    let standard: Int = isInverse && isOneSided ? 2 * (own - 1) : own
    let length: Int = try knownInts(at: 1, "the length")?.first ?? standard
    guard length > 0, length <= 1 << 14, own > 0 else {
      throw unsupported("the transform has \(length) elements, expected 1 to \(1 << 14).")
    }
    let isRealResult: Bool = isInverse && isOneSided
    let rows: Int = isOneSided && !isInverse ? length / 2 + 1 : length
    let used: Int = min(own, isRealResult ? length / 2 + 1 : length)
    // The matrix is `[rows × parts, used × kind]`. The result has `rows` elements of `parts` numbers each. The
    // transform reads `used` elements of the signal, of `kind` numbers each. The real and the imaginary part of an
    // element are neighbours.
    let parts: Int = isRealResult ? 1 : 2
    let matrix = try Constant.computed(
      [rows * parts, used * kind],
      "Fourier of \(length), \(rows) × \(parts) by \(used) × \(kind), inverse \(isInverse)"
    ) {
      var matrix = [Float](repeating: 0, count: rows * parts * used * kind)
      for row in 0..<rows {
        for column in 0..<used {
          let angle: Double = 2 * .pi * Double(row * column % length) / Double(length)
          var (c, s) = (cos(angle), isInverse ? sin(angle) : -sin(angle))
          if isInverse { (c, s) = (c / Double(length), s / Double(length)) }
          if isRealResult, column > 0, 2 * column != length { (c, s) = (2 * c, 2 * s) }
          func set(_ part: Int, _ element: Int, _ value: Double) {
            matrix[((row * parts + part) * used + column) * kind + element] = Float(value)
          }
          set(0, 0, c)
          if kind == 2 { set(0, 1, -s) }
          if parts == 2 {
            set(1, 0, s)
            if kind == 2 { set(1, 1, c) }
          }
        }
      }
      return matrix
    }
    var order: [Int] = (0..<rank).filter { $0 != axis && $0 != rank - 1 }
    // A 0 in the new shape keeps the extent of the input's axis.
    let leading: [Int] = order.map { extents[$0] ?? 0 }
    order += [axis, rank - 1]
    var value = try transposed(x.id, order)
    if used < own { value = try sliced(value, axis: rank - 2, rank: rank, from: 0, to: used) }
    value = try reshaped(value, to: leading + [used * kind])
    let weights = builder.addConstant(matrix, name: name)
    value = try add(BatchedMatMulOperator.ofRows, value, weights)
    value = try reshaped(value, to: leading + [rows, parts])
    // Moves the transformed axis back to its original position.
    let back: [Int] = (0..<rank).map { position in order.firstIndex(of: position) ?? position }
    return ONNXTensor(try transposed(value, back), x.element)
  }

  /// Computes the transform along an axis. The axis's extent or the transform's length is known only at run time. So
  /// operators compute the matrices of sines and cosines.
  private func computedFourier(_ x: ONNXTensor, axis: Int, rank: Int, isComplex: Bool) throws
    -> ONNXTensor
  {
    let (isInverse, isOneSided) = (flag("inverse"), flag("onesided"))
    let isRealResult: Bool = isInverse && isOneSided
    let (one, two) = (constant([1]), constant([2]))
    let own = try extent(of: x.id, axis: axis)
    let standard = isRealResult ? try join(.multiply, join(.subtract, own, one), two) : own
    let length = try optional(1).map { try reshaped(integer($0), to: [1]) } ?? standard
    let half = try join(.add, join(.floorDivide, length, two), one)
    let rows = try stretched(positions(below: isOneSided && !isInverse ? half : length), [1])
    let columns = try positions(below: own)
    let (cosines, sines) = try waves(rows, columns, length)
    // Elements beyond the transform's length get the weight 0. In a one-sided spectrum, each inner element represents
    // two frequencies. So it gets twice the weight.
    func real(_ value: Graph.ValueID) throws -> Graph.ValueID {
      try add(CastOperator(to: .float32), value)
    }
    var weights = try real(join(.isLess, columns, isRealResult ? half : length))
    if isRealResult {
      let isInner = try join(
        .multiply, join(.isGreater, columns, constant([0])),
        join(.isNotEqual, join(.multiply, columns, two), length))
      weights = try join(.multiply, weights, real(join(.add, isInner, one)))
    }
    if isInverse { weights = try join(.divide, weights, real(length)) }
    let signed = try scaled(weights, by: isInverse ? 1 : -1)
    // The transformed axis moves to the position before the last axis. The last axis holds the real and imaginary
    // parts.
    let order: [Int] = (0..<rank).filter { $0 != axis && $0 != rank - 1 } + [axis, rank - 1]
    let value = try transposed(x.id, order)
    let product = BatchedMatMulOperator()
    let even = try add(product, join(.multiply, cosines, weights), value)
    let odd = try add(product, join(.multiply, sines, signed), value)
    func part(_ value: Graph.ValueID, _ index: Int) throws -> Graph.ValueID {
      try isComplex
        ? sliced(value, axis: rank - 1, rank: rank, from: index, to: index + 1) : value
    }
    var parts: [Graph.ValueID] = [try part(even, 0), try part(odd, 0)]
    if isComplex {
      parts[0] = try join(.subtract, parts[0], part(odd, 1))
      parts[1] = try join(.add, parts[1], part(even, 1))
    }
    let made = isRealResult ? parts[0] : try add(ConcatNDOperator(axis: rank - 1), parts)
    let back: [Int] = (0..<rank).map { position in order.firstIndex(of: position) ?? position }
    return ONNXTensor(try transposed(made, back), x.element)
  }

  /// Computes the cosines and sines of 2π · row · column / length.
  private func waves(_ rows: Graph.ValueID, _ columns: Graph.ValueID, _ length: Graph.ValueID)
    throws -> (cosines: Graph.ValueID, sines: Graph.ValueID)
  {
    // The graph computes the remainder of row · column modulo the length in two steps, because the product row · column
    // could exceed 32 bits.
    let step = constant([256])
    let high = try join(
      .modulo, join(.multiply, rows, join(.floorDivide, columns, step)), length)
    let low = try join(.multiply, rows, join(.modulo, columns, step))
    let turn = try join(.modulo, join(.add, join(.multiply, high, step), low), length)
    // Cosines and sines of angles from −π to π are more exact than those of angles from 0 to 2π.
    let isBeyond = try join(.isGreater, join(.multiply, turn, constant([2])), length)
    let nearest = try join(.subtract, turn, join(.multiply, isBeyond, length))
    let turns = try join(
      .divide, add(CastOperator(to: .float32), nearest), add(CastOperator(to: .float32), length))
    let angles = try scaled(turns, by: 2 * .pi)
    return (try map(.cosine, angles), try map(.sine, angles))
  }

  /// Computes the weights with which frequencies are summed into the bands of the mel scale.
  ///
  /// **Source:** the specification of `MelWeightMatrix` in ONNX.
  fileprivate func melWeights() throws -> ONNXTensor {
    let integerValues: [Int?] = try (0..<3).map { try ints(at: $0)?.first }
    let bounds: [Float?] = try (3..<5).map { try floats(at: $0)?.first }
    guard let bands = integerValues[0], let length = integerValues[1], let rate = integerValues[2],
      let low = bounds[0],
      let high = bounds[1], (1...1 << 16).contains(bands), (1...1 << 20).contains(length), rate > 0
    else { throw unsupported("the sizes are computed or out of range, expected constants.") }
    guard low >= 0, high > low, high.isFinite else {
      throw invalid(
        "the bands reach from \(low) to \(high) Hz, expected a lower edge of 0 Hz or more and an upper edge above it."
      )
    }
    let element = try ElementType(onnx: Int32(clamping: int("output_datatype", or: 1)))
    let rows: Int = length / 2 + 1
    func mel(_ hertz: Double) -> Double { 2595 * log10(1 + hertz / 700) }
    let (first, last) = (mel(Double(low)), mel(Double(high)))
    let step: Double = (last - first) / Double(bands + 2)
    let bins: [Int] = (0..<bands + 2).map { band in
      let hertz: Double = 700 * (pow(10, (first + Double(band) * step) / 2595) - 1)
      return Int(bounding: (Double(length + 1) * hertz / Double(rate)).rounded(.down))
    }
    let weights = try Constant.computed(
      [rows, bands], "\(bands) mel bands of \(length) at \(rate) Hz, \(low) to \(high)"
    ) {
      var values = [Float](repeating: 0, count: rows * bands)
      for band in 0..<bands {
        let (lower, centre, upper) = (bins[band], bins[band + 1], bins[band + 2])
        if centre == lower {
          if (0..<rows).contains(centre) { values[centre * bands + band] = 1 }
        } else {
          for row in max(lower, 0)..<max(min(centre + 1, rows), max(lower, 0)) {
            values[row * bands + band] = Float(Double(row - lower) / Double(centre - lower))
          }
        }
        if upper > centre {
          for row in max(centre, 0)..<max(min(upper, rows), max(centre, 0)) {
            values[row * bands + band] = Float(Double(upper - row) / Double(upper - centre))
          }
        }
      }
      return values
    }
    return try held(builder.addConstant(weights, name: name), as: element)
  }

}
