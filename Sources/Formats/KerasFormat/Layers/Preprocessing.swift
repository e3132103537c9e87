import Graph
import Operators

extension KerasLayerReader {
  /// Layers that preprocess a model's input.
  static let preprocessing: [KerasLayerReader] = [
    KerasLayerReader("Rescaling", fields: KnownFields(["scale", "offset"])) { context in
      let x = try context.input()
      let scale: [Double] = try context.settings.numbers("scale") ?? [1]
      let offset: [Double] = try context.settings.numbers("offset") ?? [0]
      if scale.count == 1, offset.count == 1 {
        return try context.same(
          context.add(
            ActivationOperator(.linear(alpha: Float(scale[0]), beta: Float(offset[0]))), x.value))
      }
      return try context.scaled(x, by: scale.map { Float($0) }, plus: offset.map { Float($0) })
    },
    KerasLayerReader(
      "Normalization", fields: KnownFields(["axis", "mean", "variance", "invert"])
    ) { context in
      let x = try context.input()
      func numbers(_ name: String, _ index: Int) throws -> [Float] {
        if let stated = try context.settings.numbers(name) { return stated.map { Float($0) } }
        return try context.weights(index, "the \(name)").floats()
      }
      let (means, variances) = (try numbers("mean", 0), try numbers("variance", 1))
      let axes: [Int] = try context.settings.ints("axis") ?? [-1]
      guard means.count == 1 || axes == [-1] || axes == [x.rank - 1],
        means.count == variances.count, !means.isEmpty
      else {
        throw context.unsupported("'axis' is \(axes), expected the last axis or none.")
      }
      // Keras replaces a standard deviation of 0 by 1e-7 before it divides.
      let deviations: [Float] = variances.map { max($0.squareRoot(), 1e-7) }
      if try context.settings.bool("invert", or: false) {
        return try context.scaled(x, by: deviations, plus: means)
      }
      let scale: [Float] = deviations.map { 1 / $0 }
      return try context.scaled(x, by: scale, plus: zip(means, scale).map { -$0 * $1 })
    },
  ]
}

extension KerasContext {
  /// Computes `factor · x + shift`. There is one factor and one shift per channel, or one of each for all channels.
  fileprivate func scaled(_ x: KerasTensor, by factors: [Float], plus shifts: [Float]) throws
    -> KerasTensor
  {
    guard factors.count == shifts.count || factors.count == 1 || shifts.count == 1 else {
      throw invalid("\(factors.count) factors and \(shifts.count) shifts do not fit the channels.")
    }
    let factor = perChannel(Constant([factors.count], factors), x, "factors")
    let shift = perChannel(Constant([shifts.count], shifts), x, "shifts")
    let product = try add(BinaryFunctionOperator(.multiply), x.value, factor)
    return try same(add(BinaryFunctionOperator(.add), product, shift))
  }
}
