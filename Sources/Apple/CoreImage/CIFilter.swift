import Foundation
import Imaging

/// The key of a filter's image.
public let kCIInputImageKey: String = "inputImage"
/// The key of the image under the filter's image.
public let kCIInputBackgroundImageKey: String = "inputBackgroundImage"
/// The key of the mask: an image whose luminance mixes two other images.
public let kCIInputMaskImageKey: String = "inputMaskImage"
/// The key of a radius in pixels.
public let kCIInputRadiusKey: String = "inputRadius"
/// The key of a factor for the width and the height.
public let kCIInputScaleKey: String = "inputScale"
/// The key of an additional factor for the width.
public let kCIInputAspectRatioKey: String = "inputAspectRatio"
/// The key of a transform.
public let kCIInputTransformKey: String = "inputTransform"
/// The key of a factor for the distance of colours from grey.
public let kCIInputSaturationKey: String = "inputSaturation"
/// The key of a number that the filter adds to all components.
public let kCIInputBrightnessKey: String = "inputBrightness"
/// The key of a factor for the distance of components from ½.
public let kCIInputContrastKey: String = "inputContrast"
/// The key of a filter's result.
public let kCIOutputImageKey: String = "outputImage"

/// A computation on images, with arguments by name.
///
/// Images are 8-bit sRGB. The filters that compute in linear light in Core Image do so here, too. Beyond the edges of
/// an image, filters repeat the pixels at the edges, so a blurred image keeps its extent. In Core Image, a blurred
/// image is larger and has transparent edges.
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

  /// The names of the results. The image is the only result.
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
  /// Returns the result of a filter. This image is the filter's `inputImage`. For an unknown name, returns this image.
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

  /// Returns this image, composed over `dest` by its alpha.
  public func composited(over dest: CIImage) -> CIImage {
    applyingFilter("CISourceOverCompositing", parameters: [kCIInputBackgroundImageKey: dest])
  }

  /// Returns this image. In Core Image, the result repeats the pixels at the edges without end. Here, filters do so for
  /// every image.
  public func clampedToExtent() -> CIImage { self }
}
