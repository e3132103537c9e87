import Foundation
import Imaging

/// The image of a filter.
public let kCIInputImageKey: String = "inputImage"
/// The image under the first.
public let kCIInputBackgroundImageKey: String = "inputBackgroundImage"
/// The image whose luminance mixes two others.
public let kCIInputMaskImageKey: String = "inputMaskImage"
/// A radius in pixels.
public let kCIInputRadiusKey: String = "inputRadius"
/// A factor of the size.
public let kCIInputScaleKey: String = "inputScale"
/// A further factor of the width.
public let kCIInputAspectRatioKey: String = "inputAspectRatio"
/// A transform.
public let kCIInputTransformKey: String = "inputTransform"
/// A factor of the distance from grey.
public let kCIInputSaturationKey: String = "inputSaturation"
/// A number that is added.
public let kCIInputBrightnessKey: String = "inputBrightness"
/// A factor of the distance from ½.
public let kCIInputContrastKey: String = "inputContrast"
/// The name of a filter's result.
public let kCIOutputImageKey: String = "outputImage"

/// A computation on images, with arguments by name.
///
/// Filters compute with 8-bit sRGB, decoded to linear light where Core Image does. Pixels beyond an image's edges equal
/// those at the edges, so a blurred image keeps its extent; Apple's grows and fades to transparent.
open class CIFilter: NSObject, CIFilterProtocol {
  /// The filter's name, such as `CIGaussianBlur`.
  public let name: String
  private let kind: FilterKind
  private var values: [String: Any]

  /// Makes a filter with its default arguments. Returns nil for an unknown name.
  public convenience init?(name: String) { self.init(name: name, parameters: nil) }

  /// Makes a filter with some arguments. Returns nil for an unknown name.
  public init?(name: String, parameters: [String: Any]?) {
    guard let kind = FilterKind.all[name] else { return nil }
    self.name = name
    self.kind = kind
    values = kind.defaults.merging(parameters ?? [:]) { _, given in given }
  }

  init(_ kind: FilterKind) {
    name = kind.name
    self.kind = kind
    values = kind.defaults
  }

  /// The names of the arguments.
  public var inputKeys: [String] { kind.keys }

  /// The names of the results: the image.
  public var outputKeys: [String] { [kCIOutputImageKey] }

  /// The names of all filters. The category has no effect.
  public class func filterNames(inCategory category: String?) -> [String] {
    FilterKind.all.keys.sorted()
  }

  /// Sets all arguments but the images to their defaults.
  open func setDefaults() { values.merge(kind.defaults) { _, initial in initial } }

  /// Sets an argument. Nil removes it.
  open func setValue(_ value: Any?, forKey key: String) { values[key] = value }

  /// Returns an argument, or the result for `outputImage`.
  open func value(forKey key: String) -> Any? {
    key == kCIOutputImageKey ? outputImage : values[key]
  }

  /// The result; nil if an image is missing. If the computation fails, `picture` of the result throws.
  open var outputImage: CIImage? { kind.apply(FilterArguments(values: values)) }
}

/// A filter's arguments.
struct FilterArguments {
  let values: [String: Any]

  func image(_ key: String) -> CIImage? { values[key] as? CIImage }

  func number(_ key: String, _ initial: Double) -> Double {
    switch values[key] {
    case let number as NSNumber: number.doubleValue
    case let number as Double: number
    case let number as CGFloat: Double(number)
    case let number as Float: Double(number)
    case let number as Int: Double(number)
    default: initial
    }
  }

  func vector(_ key: String) -> CIVector? {
    if let rectangle = values[key] as? CGRect { return CIVector(cgRect: rectangle) }
    return values[key] as? CIVector
  }

  func transform(_ key: String) -> CGAffineTransform {
    if let transform = values[key] as? NSAffineTransform {
      let m = transform.transformStruct
      return CGAffineTransform(a: m.m11, b: m.m12, c: m.m21, d: m.m22, tx: m.tX, ty: m.tY)
    }
    return values[key] as? CGAffineTransform ?? .identity
  }
}

extension CIImage {
  /// Returns the result of a filter. The image is its `inputImage`. Returns the image itself for an unknown name.
  public func applyingFilter(_ filterName: String, parameters params: [String: Any] = [:])
    -> CIImage
  {
    let arguments: [String: Any] = params.merging([kCIInputImageKey: self]) { _, image in image }
    return CIFilter(name: filterName, parameters: arguments)?.outputImage ?? self
  }

  /// Returns the image blurred by a Gaussian with a standard deviation in pixels.
  public func applyingGaussianBlur(sigma: Double) -> CIImage {
    applyingFilter("CIGaussianBlur", parameters: [kCIInputRadiusKey: sigma])
  }

  /// Returns the image over another, by its alpha.
  public func composited(over dest: CIImage) -> CIImage {
    applyingFilter("CISourceOverCompositing", parameters: [kCIInputBackgroundImageKey: dest])
  }

  /// Returns the image itself: filters read the pixels at the edges where Apple's clamped image has no end.
  public func clampedToExtent() -> CIImage { self }
}
