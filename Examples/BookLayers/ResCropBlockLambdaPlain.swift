import CoreML
import Foundation

/// ``ResCropBlockLambda`` as the book first shows it, which copies single elements by index.
///
/// The book's loops end one row and one column too early. This is corrected here.
public final class ResCropBlockLambdaPlain: NSObject, MLCustomLayer {
  public required init(parameters: [String: Any]) throws {
    super.init()
  }

  public func setWeightData(_ weights: [Data]) throws {}

  public func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] {
    try inputShapes.map(croppedShape)
  }

  public func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
    for (i, input) in inputs.enumerated() {
      let shape = input.shape
      for c in 0..<shape[2].intValue {
        for h in 2..<shape[3].intValue - 2 {
          for w in 2..<shape[4].intValue - 2 {
            let inputIndex = [
              NSNumber(value: 0), NSNumber(value: 0), NSNumber(value: c), NSNumber(value: h),
              NSNumber(value: w),
            ]
            let outputIndex = [
              NSNumber(value: 0), NSNumber(value: 0), NSNumber(value: c), NSNumber(value: h - 2),
              NSNumber(value: w - 2),
            ]
            outputs[i][outputIndex] = input[inputIndex]
          }
        }
      }
    }
  }
}
