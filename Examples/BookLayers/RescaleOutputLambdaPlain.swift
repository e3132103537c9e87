import CoreML
import Foundation

/// ``RescaleOutputLambda`` as the book first shows it, which computes single elements by index.
public final class RescaleOutputLambdaPlain: NSObject, MLCustomLayer {
  public required init(parameters: [String: Any]) throws {
    super.init()
  }

  public func setWeightData(_ weights: [Data]) throws {}

  public func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] {
    inputShapes
  }

  public func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
    for (i, input) in inputs.enumerated() {
      let shape = input.shape
      for c in 0..<shape[2].intValue {
        for h in 0..<shape[3].intValue {
          for w in 0..<shape[4].intValue {
            let index = [
              NSNumber(value: 0), NSNumber(value: 0), NSNumber(value: c), NSNumber(value: h),
              NSNumber(value: w),
            ]
            outputs[i][index] = NSNumber(value: (input[index].floatValue + 1.0) * 127.5)
          }
        }
      }
    }
  }
}
