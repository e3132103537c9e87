import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

// Samples for the native kernel. They have every sampling grid and box format, and more channels than a vector holds.

extension CropResizeOperator {
  package static var wideSamples: [OperatorSample] {
    let pictures: (Shape, OperatorSample.Fill) = OperatorSample.random([1, 2, 37, 13, 11])
    let regions: (Shape, OperatorSample.Fill) = ([9, 1, 4, 1, 1], .uniform(-2...14))
    return [
      OperatorSample(
        "a value outside",
        derived: CropResizeOperator(
          height: 2, width: 2, grid: .alignEndpoints, isNormalized: true, outside: 10),
        inputs: [
          ([1, 1, 1, 4, 4], .values((1...16).map(Double.init))),
          (
            [3, 1, 5, 1, 1],
            .values([0, 0.125, 0.25, 1.25, 1, 0, 0.5, 1.75, 1, 0.25, 0, 0, 0.5, 0.625, 0.75])
          ),
        ],
        expected: [
          ReferenceTensor(
            [3, 1, 1, 2, 2], [3.25, 5.5, 10, 10, 10, 7.75, 10, 13.75, 2.5, 3.25, 10, 10.75])
        ],
        tolerance: .accumulation),
      OperatorSample(
        "a reversed region between pixel centres",
        derived: CropResizeOperator(height: 2, width: 2, grid: .pixelCentres),
        inputs: [
          ([1, 1, 1, 4, 4], .values((1...16).map(Double.init))),
          ([1, 1, 4, 1, 1], .values([6, 6, 3, 3])),
        ],
        expected: [ReferenceTensor([1, 1, 1, 2, 2], [3.5, 5.5, 11.5, 13.5])],
        tolerance: .accumulation),
      OperatorSample(
        "many channels, a value outside",
        derived: CropResizeOperator(
          height: 7, width: 5, grid: .upsample, coordinates: .centerSizeWidthFirst, outside: -1.5),
        inputs: [pictures, regions], tolerance: .accumulation),
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
        "many regions, normalised, with image indices",
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
