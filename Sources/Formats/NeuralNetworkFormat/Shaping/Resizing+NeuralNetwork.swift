import Graph
import ModelFormat
import Operators

extension UpsampleOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .upsample(let message)? = decoder.message.layer else {
      throw decoder.notA("upsample")
    }
    try decoder.requireInputs(1...1)
    let fractions: [Float] = message.fractionalScalingFactor.array()
    let mode: Mode
    switch message.mode {
    case .nn: mode = .nearest
    case .bilinear:
      switch message.linearUpsampleMode {
      case .default: mode = .bilinear(.upsample)
      case .alignCornersTrue: mode = .bilinear(.strictAlignEndpoints)
      case .alignCornersFalse: mode = .bilinear(.pixelCentres)
      case .unrecognized(let value):
        throw decoder.invalid("linearUpsampleMode is \(value), expected 0 to 2.")
      }
    case .unrecognized(let value):
      throw decoder.invalid("mode is \(value), expected 0 (nearest) or 1 (bilinear).")
    }
    if fractions.isEmpty {
      let (height, width) = try decoder.pair(message.scalingFactor, "scalingFactor", default: 1)
      self.init(heightFactor: Float(height), widthFactor: Float(width), mode: mode)
    } else {
      guard fractions.count == 2, fractions.allSatisfy({ $0 > 0 && $0 <= 65536 }) else {
        throw decoder.invalid(
          "fractionalScalingFactor is \(fractions), expected 2 positive factors (height, width).")
      }
      let isInteger: Bool = fractions.allSatisfy { $0 == $0.rounded(.down) }
      guard
        isInteger || mode == .bilinear(.strictAlignEndpoints) || mode == .bilinear(.pixelCentres)
      else {
        throw decoder.invalid(
          "fractionalScalingFactor is \(fractions), which needs bilinear interpolation in mode ALIGN_CORNERS_TRUE or ALIGN_CORNERS_FALSE; nearest and the default mode take integer factors."
        )
      }
      self.init(heightFactor: fractions[0], widthFactor: fractions[1], mode: mode)
    }
    guard heightFactor > 0, widthFactor > 0 else {
      throw decoder.invalid(
        "scalingFactor is \(Int(bounding: heightFactor)) × \(Int(bounding: widthFactor)), expected at least 1 × 1."
      )
    }
  }

  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.UpsampleLayerParams()
    switch mode {
    case .nearest: message.mode = .nn
    case .bilinear(let grid):
      message.mode = .bilinear
      switch grid {
      case .upsample: message.linearUpsampleMode = .default
      case .strictAlignEndpoints: message.linearUpsampleMode = .alignCornersTrue
      case .pixelCentres: message.linearUpsampleMode = .alignCornersFalse
      case .alignEndpoints, .regionOfInterest:
        throw EngineError(.unsupported, "no upsampling layer reads at the points of \(grid).")
      }
    }
    let factors: [Float] = [heightFactor, widthFactor]
    if factors.allSatisfy({ $0 == $0.rounded(.down) }) {
      message.scalingFactor = factors.map { Int(bounding: $0) }.sizes
    } else if mode == .nearest || mode == .bilinear(.upsample) {
      throw EngineError(
        .unsupported,
        "factors of \(heightFactor) × \(widthFactor) have no layer: nearest and the default grid take integer factors."
      )
    } else {
      message.fractionalScalingFactor = FloatValues(factors)
    }
    encoder.layer.layer = .upsample(message)
  }
}

extension ResizeBilinearOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .resizeBilinear(let message)? = decoder.message.layer else {
      throw decoder.notA("resizeBilinear")
    }
    try decoder.requireInputs(1...1)
    let (height, width) = try decoder.pair(message.targetSize, "targetSize", default: 1)
    self.init(height: height, width: width, grid: try SamplingGrid(message.mode, in: decoder))
  }

  public func encode(into encoder: inout LayerEncoder) throws {
    let sampling: Spec.SamplingMode = try grid.message()
    encoder.layer.layer = .resizeBilinear(
      .making {
        $0.targetSize = [height, width].sizes
        $0.mode = sampling
      })
  }
}

extension CropResizeOperator: NeuralNetworkEncodable {
  init(decoding decoder: LayerDecoder) throws {
    guard case .cropResize(let message)? = decoder.message.layer else {
      throw decoder.notA("cropResize")
    }
    try decoder.requireInputs(2...2)
    let (height, width) = try decoder.pair(message.targetSize, "targetSize", default: 1)
    let coordinates: Coordinates
    switch message.boxIndicesMode?.boxMode {
    case .cornersHeightFirst?, nil: coordinates = .cornersHeightFirst
    case .cornersWidthFirst?: coordinates = .cornersWidthFirst
    case .centerSizeHeightFirst?: coordinates = .centerSizeHeightFirst
    case .centerSizeWidthFirst?: coordinates = .centerSizeWidthFirst
    case .unrecognized(let value)?:
      throw decoder.invalid("boxIndicesMode.boxMode is \(value), expected 0 to 3.")
    }
    self.init(
      height: height, width: width, grid: try SamplingGrid(message.mode, in: decoder),
      coordinates: coordinates, isNormalized: message.normalizedCoordinates,
      spatialScale: message.spatialScale == 0 ? 1 : message.spatialScale)
  }

  public func encode(into encoder: inout LayerEncoder) throws {
    guard outside == nil else {
      throw EngineError(
        .unsupported,
        "no layer has a value for points outside of the picture; layers read its edge.")
    }
    let sampling: Spec.SamplingMode = try grid.message()
    let boxMode: Spec.BoxCoordinatesMode.Coordinates
    switch coordinates {
    case .cornersHeightFirst: boxMode = .cornersHeightFirst
    case .cornersWidthFirst: boxMode = .cornersWidthFirst
    case .centerSizeHeightFirst: boxMode = .centerSizeHeightFirst
    case .centerSizeWidthFirst: boxMode = .centerSizeWidthFirst
    }
    encoder.layer.layer = .cropResize(
      .making {
        $0.targetSize = [height, width].sizes
        $0.mode = sampling
        $0.boxIndicesMode = .making { $0.boxMode = boxMode }
        $0.normalizedCoordinates = isNormalized
        $0.spatialScale = spatialScale
      })
  }
}

extension SamplingGrid {
  /// Reads the sampling grid that a message states. If the message is absent, the grid is `strictAlignEndpoints`.
  fileprivate init(_ message: Spec.SamplingMode?, in decoder: LayerDecoder) throws {
    switch message?.samplingMethod {
    case .strictAlignEndpointsMode?, nil: self = .strictAlignEndpoints
    case .alignEndpointsMode?: self = .alignEndpoints
    case .upsampleMode?: self = .upsample
    case .roiAlignMode?: self = .regionOfInterest
    case .unrecognized(let value)?:
      throw decoder.invalid("mode.samplingMethod is \(value), expected 0 to 3.")
    }
  }

  /// Returns the sampling grid as a message.
  fileprivate func message() throws -> Spec.SamplingMode {
    var message = Spec.SamplingMode()
    switch self {
    case .strictAlignEndpoints: message.samplingMethod = .strictAlignEndpointsMode
    case .alignEndpoints: message.samplingMethod = .alignEndpointsMode
    case .upsample: message.samplingMethod = .upsampleMode
    case .regionOfInterest: message.samplingMethod = .roiAlignMode
    case .pixelCentres:
      throw EngineError(
        .unsupported, "only upsampling by factors reads at the centres of pixels.")
    }
    return message
  }
}
