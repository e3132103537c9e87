import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

// Cases for the native kernel: every grid and meaning of the numbers, channels beyond one vector.

extension CropResizeOperator {
  package static var wideSamples: [OperatorSample] {
    let pictures: (Shape, OperatorSample.Fill) = OperatorSample.random([1, 2, 37, 13, 11])
    let regions: (Shape, OperatorSample.Fill) = ([9, 1, 4, 1, 1], .uniform(-2...14))
    return [
      OperatorSample(
        "many channels, strict ends", layer(7, 5, .strictAlignEndpointsMode, .cornersHeightFirst),
        inputs: [pictures, regions], tolerance: .accumulation),
      OperatorSample(
        "many channels, aligned ends", layer(6, 9, .alignEndpointsMode, .cornersWidthFirst),
        inputs: [pictures, regions], tolerance: .accumulation),
      OperatorSample(
        "many channels, as upsampling", layer(7, 7, .upsampleMode, .centerSizeHeightFirst),
        inputs: [pictures, regions], tolerance: .accumulation),
      OperatorSample(
        "many channels, regions of interest", layer(7, 7, .roiAlignMode, .centerSizeWidthFirst),
        inputs: [pictures, regions], tolerance: .accumulation),
      OperatorSample(
        "many regions, normalised, of numbered pictures",
        layer(14, 14, .roiAlignMode, .cornersHeightFirst, normalized: true, scale: 0.5),
        inputs: [
          OperatorSample.random([1, 2, 3, 20, 30]), ([40, 1, 5, 1, 1], .uniform(0...1.9)),
        ],
        tolerance: .accumulation),
    ]
  }

  private static func layer(
    _ height: UInt64, _ width: UInt64, _ sampling: Spec.SamplingMode.Method,
    _ boxes: Spec.BoxCoordinatesMode.Coordinates, normalized: Bool = false, scale: Float = 1
  ) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .cropResize(
        .making {
          $0.targetSize = [height, width]
          $0.mode = .making { $0.samplingMethod = sampling }
          $0.boxIndicesMode = .making { $0.boxMode = boxes }
          ($0.normalizedCoordinates, $0.spatialScale) = (normalized, scale)
        }))
  }
}
