import Foundation
import Graph
import Operators

/// Windows of signals, and their frequencies.
enum SignalReaders {
  static let all: [NodeReader] = [
    window("BlackmanWindow") { 0.42 - 0.5 * cos($0) + 0.08 * cos(2 * $0) },
    window("HannWindow") { 0.5 - 0.5 * cos($0) },
    window("HammingWindow") { 25.0 / 46 - 21.0 / 46 * cos($0) },
    NodeReader("DFT", as: [BatchedMatMulOperator.self]) { [try $0.fourier()] },
    NodeReader("MelWeightMatrix", as: []) { [try $0.melWeights()] },
  ]

  /// A window by a function of an angle that runs once around; of a size that is known.
  private static func window(_ name: String, _ value: @escaping @Sendable (Double) -> Double)
    -> NodeReader
  {
    NodeReader(name, as: []) { node in
      guard let size = try node.knownInts(at: 0, "the size")?.first, (0...1 << 24).contains(size)
      else { throw node.invalid("the size is missing or no number of elements.") }
      let element = try ElementType(onnx: Int32(clamping: node.int("output_datatype", or: 1)))
      let turns = Double(node.flag("periodic", or: true) ? size : max(1, size - 1))
      let values = try Constant.computed([size], "\(name) of \(size) within \(turns)") {
        (0..<size).map { Float(value(2 * .pi * Double($0) / turns)) }
      }
      return [try node.held(node.builder.addConstant(values, name: node.name), as: element)]
    }
  }
}

extension ONNXNode {
  /// Frequencies of a signal along an axis, as a product with a matrix of sines and cosines.
  fileprivate func fourier() throws -> ONNXTensor {
    let x: ONNXTensor = try tensor(0)
    let extents: [Int] = try shape(x, "the signal")
    let rank: Int = extents.count
    guard rank >= 2, let kind = extents.last, kind == 1 || kind == 2 else {
      throw invalid("the signal is \(Shape(extents)), expected 1 or 2 numbers an element.")
    }
    let stated: Int =
      version < 20
      ? int("axis", or: 1) : try knownInts(at: 2, "the axis")?.first ?? -2
    let axis: Int = try axis(stated, rank: rank)
    guard axis < rank - 1 else { throw invalid("the axis is that of the complex numbers.") }
    let (isInverse, isOneSided) = (flag("inverse"), flag("onesided"))
    let own: Int = extents[axis]
    let standard: Int = isInverse && isOneSided ? 2 * (own - 1) : own
    let length: Int = try knownInts(at: 1, "the length")?.first ?? standard
    guard length > 0, length <= 1 << 14, own > 0 else {
      throw unsupported("the transform has \(length) elements, expected 1 to \(1 << 14).")
    }
    let isRealResult: Bool = isInverse && isOneSided
    let rows: Int = isOneSided && !isInverse ? length / 2 + 1 : length
    let used: Int = min(own, isRealResult ? length / 2 + 1 : length)
    // [rows × parts, used × kind]: real and imaginary parts side by side.
    let parts: Int = isRealResult ? 1 : 2
    let matrix = try Constant.computed(
      [rows * parts, used * kind],
      "Fourier of \(length), \(rows) × \(parts) by \(used) × \(kind), inverse \(isInverse)"
    ) {
      var matrix = [Float](repeating: 0, count: rows * parts * used * kind)
      for row in 0..<rows {
        for column in 0..<used {
          let turn: Double = 2 * .pi * Double(row * column % length) / Double(length)
          var (c, s) = (cos(turn), isInverse ? sin(turn) : -sin(turn))
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
    let leading: [Int] = order.map { extents[$0] }
    order += [axis, rank - 1]
    var value = try transposed(x.id, order)
    if used < own { value = try sliced(value, axis: rank - 2, rank: rank, from: 0, to: used) }
    value = try reshaped(value, to: leading + [used * kind])
    let weights = builder.addConstant(matrix, name: name)
    value = try add(BatchedMatMulOperator.ofRows, value, weights)
    value = try reshaped(value, to: leading + [rows, parts])
    // Back to where the axis was.
    let back: [Int] = (0..<rank).map { place in order.firstIndex(of: place) ?? place }
    return ONNXTensor(try transposed(value, back), x.element)
  }

  /// Weights that gather frequencies into bands of the mel scale.
  ///
  /// **Source:** the definition of `MelWeightMatrix` in ONNX.
  fileprivate func melWeights() throws -> ONNXTensor {
    let wholes: [Int?] = try (0..<3).map { try ints(at: $0)?.first }
    let bounds: [Float?] = try (3..<5).map { try floats(at: $0)?.first }
    guard let bands = wholes[0], let length = wholes[1], let rate = wholes[2], let low = bounds[0],
      let high = bounds[1], (1...1 << 16).contains(bands), (1...1 << 20).contains(length), rate > 0
    else { throw unsupported("the sizes are computed or out of range, expected constants.") }
    guard low >= 0, high > low, high.isFinite else {
      throw invalid(
        "the bands reach from \(low) to \(high) Hz, expected a lower edge of 0 or more and a higher one above it."
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
