import CoreML
import Foundation

/// Crops two pixels from each side of the shortcut of a residual block. The two convolutions of the block have no
/// padding, so together they remove two pixels from each side, too. This version copies complete rows.
public final class ResCropBlockLambda: NSObject, MLCustomLayer {
  public required init(parameters: [String: Any]) throws {
    super.init()
  }

  public func setWeightData(_ weights: [Data]) throws {}

  public func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] {
    try inputShapes.map(croppedShape)
  }

  public func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
    for (input, output) in zip(inputs, outputs) {
      let shape: [Int] = input.shape.map { $0.intValue }
      let (height, width): (Int, Int) = (shape[3], shape[4])
      let planes: Int = shape[0] * shape[1] * shape[2]
      let (rows, columns): (Int, Int) = (height - 4, width - 4)
      input.withUnsafeBufferPointer(ofType: Float.self) { source in
        output.withUnsafeMutableBufferPointer(ofType: Float.self) { target, _ in
          guard let from = source.baseAddress, let to = target.baseAddress else { return }
          for plane in 0..<planes {
            for row in 0..<rows {
              (to + (plane * rows + row) * columns).update(
                from: from + (plane * height + row + 2) * width + 2, count: columns)
            }
          }
        }
      }
    }
  }
}

/// Returns the shape after the crop: `[sequence, batch, channels, height - 4, width - 4]`.
func croppedShape(_ shape: [NSNumber]) throws -> [NSNumber] {
  guard shape.count == 5, shape[3].intValue > 4, shape[4].intValue > 4 else {
    let sizes: String = shape.map(\.stringValue).joined(separator: " × ")
    throw MLModelError(
      .customLayer,
      userInfo: [
        NSLocalizedDescriptionKey: "Cropping 2 pixels on each side needs sequence × batch ×"
          + " channels × height × width with a height and width above 4, but the shape is \(sizes)."
      ])
  }
  return [
    shape[0], shape[1], shape[2], NSNumber(value: shape[3].intValue - 4),
    NSNumber(value: shape[4].intValue - 4),
  ]
}
