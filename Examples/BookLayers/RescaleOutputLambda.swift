import CoreML
import Foundation

/// The last layer of the book's network: scales the output of a hyperbolic tangent from -1…1 to 0…255, `(x + 1) ·
/// 127.5`. This version passes once over the array's memory.
public final class RescaleOutputLambda: NSObject, MLCustomLayer {
  public required init(parameters: [String: Any]) throws {
    super.init()
  }

  public func setWeightData(_ weights: [Data]) throws {}

  public func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] {
    inputShapes
  }

  public func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
    for (input, output) in zip(inputs, outputs) {
      input.withUnsafeBufferPointer(ofType: Float.self) { source in
        output.withUnsafeMutableBufferPointer(ofType: Float.self) { target, _ in
          for index in source.indices { target[index] = (source[index] + 1) * 127.5 }
        }
      }
    }
  }
}
