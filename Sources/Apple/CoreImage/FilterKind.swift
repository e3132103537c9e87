import CFilters
import Imaging

/// The arguments and the computation of a filter.
struct FilterKind: Sendable {
  let name: String
  /// The names of the images.
  let images: [String]
  /// The other arguments, with their defaults.
  private let numbers: [String: Double]
  let keys: [String]
  let apply: @Sendable (FilterArguments) -> CIImage?

  var defaults: [String: Any] { numbers.mapValues { NSNumber(value: $0) } }

  init(
    _ name: String, images: [String] = [kCIInputImageKey], numbers: [String: Double] = [:],
    others: [String] = [], apply: @escaping @Sendable (FilterArguments) -> CIImage?
  ) {
    self.name = name
    self.images = images
    self.numbers = numbers
    keys = images + numbers.keys.sorted() + others
    self.apply = apply
  }

  /// All filters by name.
  static let all: [String: FilterKind] = Dictionary(
    [
      gaussianBlur, colorMatrix, colorControls, morphologyMaximum, morphologyMinimum, crop,
      affineTransform, lanczosScale, sourceOver, blendWithMask,
    ].map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  static let gaussianBlur = FilterKind("CIGaussianBlur", numbers: [kCIInputRadiusKey: 10]) {
    arguments in
    let sigma: Double = arguments.number(kCIInputRadiusKey, 10)
    return arguments.image(kCIInputImageKey)?.filtered { source, target, width, height in
      cfl_gaussian_blur(source, target, width, height, sigma)
    }
  }

  static let morphologyMaximum = morphology("CIMorphologyMaximum", isMaximum: true)
  static let morphologyMinimum = morphology("CIMorphologyMinimum", isMaximum: false)

  private static func morphology(_ name: String, isMaximum: Bool) -> FilterKind {
    FilterKind(name, numbers: [kCIInputRadiusKey: 0]) { arguments in
      let radius: Double = arguments.number(kCIInputRadiusKey, 0)
      return arguments.image(kCIInputImageKey)?.filtered { source, target, width, height in
        cfl_morphology(source, target, width, height, radius, isMaximum ? 1 : 0)
      }
    }
  }

  static let colorMatrix = FilterKind(
    "CIColorMatrix",
    others: ["inputRVector", "inputGVector", "inputBVector", "inputAVector", "inputBiasVector"]
  ) { arguments in
    let bias: CIVector? = arguments.vector("inputBiasVector")
    let identity: [CIVector] = [
      CIVector(x: 1, y: 0, z: 0), CIVector(x: 0, y: 1, z: 0), CIVector(x: 0, y: 0, z: 1),
    ]
    let matrix: [Double] = ["inputRVector", "inputGVector", "inputBVector"].enumerated().flatMap {
      row, key in
      let vector: CIVector = arguments.vector(key) ?? identity[row]
      // Pixels are opaque, so the factor of alpha adds to the bias.
      return [
        Double(vector.x), Double(vector.y), Double(vector.z),
        Double(vector.w) + Double(bias?.value(at: row) ?? 0),
      ]
    }
    return arguments.image(kCIInputImageKey)?.multiplied(by: matrix)
  }

  static let colorControls = FilterKind(
    "CIColorControls",
    numbers: [kCIInputSaturationKey: 1, kCIInputBrightnessKey: 0, kCIInputContrastKey: 1]
  ) { arguments in
    let saturation: Double = arguments.number(kCIInputSaturationKey, 1)
    let contrast: Double = arguments.number(kCIInputContrastKey, 1)
    let offset: Double = arguments.number(kCIInputBrightnessKey, 0) * contrast + (1 - contrast) / 2
    let luminance: [Double] = [0.2126, 0.7152, 0.0722]
    var matrix: [Double] = []
    for row in 0..<3 {
      for column in 0..<3 {
        let own: Double = row == column ? saturation : 0
        matrix.append(contrast * (luminance[column] * (1 - saturation) + own))
      }
      matrix.append(offset)
    }
    return arguments.image(kCIInputImageKey)?.multiplied(by: matrix)
  }

  static let crop = FilterKind("CICrop", others: ["inputRectangle"]) { arguments in
    guard let image = arguments.image(kCIInputImageKey) else { return nil }
    return arguments.vector("inputRectangle").map { image.cropped(to: $0.cgRectValue) } ?? image
  }

  static let affineTransform = FilterKind("CIAffineTransform", others: [kCIInputTransformKey]) {
    arguments in
    arguments.image(kCIInputImageKey)?.transformed(by: arguments.transform(kCIInputTransformKey))
  }

  static let lanczosScale = FilterKind(
    "CILanczosScaleTransform", numbers: [kCIInputScaleKey: 1, kCIInputAspectRatioKey: 1]
  ) { arguments in
    let scale: Double = arguments.number(kCIInputScaleKey, 1)
    let aspect: Double = arguments.number(kCIInputAspectRatioKey, 1)
    return arguments.image(kCIInputImageKey)?.transformed(
      by: CGAffineTransform(scaleX: scale * aspect, y: scale))
  }

  static let sourceOver = FilterKind(
    "CISourceOverCompositing", images: [kCIInputImageKey, kCIInputBackgroundImageKey]
  ) { arguments in
    guard let top = arguments.image(kCIInputImageKey) else { return nil }
    guard let bottom = arguments.image(kCIInputBackgroundImageKey) else { return top }
    return CIImage.mixed(top, bottom, opacity: nil)
  }

  static let blendWithMask = FilterKind(
    "CIBlendWithMask",
    images: [kCIInputImageKey, kCIInputBackgroundImageKey, kCIInputMaskImageKey]
  ) { arguments in
    guard let top = arguments.image(kCIInputImageKey) else { return nil }
    guard let bottom = arguments.image(kCIInputBackgroundImageKey),
      let mask = arguments.image(kCIInputMaskImageKey)
    else { return top }
    return CIImage.mixed(top, bottom, opacity: mask)
  }
}
