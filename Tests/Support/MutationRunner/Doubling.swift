import CoreML

/// The custom layer of the seeds: `y = factor · x`.
final class Doubling: MLCustomLayer {
  private let factor: Double

  init(parameters: [String: Any]) throws {
    factor = (parameters["factor"] as? NSNumber)?.doubleValue ?? 2
  }

  func setWeightData(_ weights: [Data]) throws {}

  func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] {
    inputShapes
  }

  func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
    for (input, output) in zip(inputs, outputs) {
      for index in 0..<input.count {
        output[index] = NSNumber(value: input[index].doubleValue * factor)
      }
    }
  }
}
