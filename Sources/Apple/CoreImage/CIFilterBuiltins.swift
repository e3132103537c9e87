import Foundation

/// A filter with a result.
public protocol CIFilterProtocol: NSObjectProtocol {
  /// The result; nil if an image is missing.
  var outputImage: CIImage? { get }
}

extension CIFilter {
  fileprivate var image: CIImage? {
    get { value(forKey: kCIInputImageKey) as? CIImage }
    set { setValue(newValue, forKey: kCIInputImageKey) }
  }

  fileprivate func float(_ key: String) -> Float {
    (value(forKey: key) as? NSNumber)?.floatValue ?? 0
  }

  fileprivate func vector(_ key: String) -> CIVector {
    value(forKey: key) as? CIVector ?? CIVector(x: 0, y: 0, z: 0, w: 0)
  }
}

/// The arguments of `gaussianBlur()`.
public protocol CIGaussianBlur: CIFilterProtocol {
  /// The image.
  var inputImage: CIImage? { get set }
  /// The standard deviation in pixels.
  var radius: Float { get set }
}

private final class GaussianBlurFilter: CIFilter, CIGaussianBlur {
  var inputImage: CIImage? {
    get { image }
    set { image = newValue }
  }
  var radius: Float {
    get { float("inputRadius") }
    set { setValue(NSNumber(value: newValue), forKey: "inputRadius") }
  }
}

/// The arguments of `colorMatrix()`.
public protocol CIColorMatrix: CIFilterProtocol {
  /// The image.
  var inputImage: CIImage? { get set }
  /// The factors that give the new red: of red, green, blue and alpha.
  var rVector: CIVector { get set }
  /// The factors that give the new green.
  var gVector: CIVector { get set }
  /// The factors that give the new blue.
  var bVector: CIVector { get set }
  /// Has no effect: alpha does not change.
  var aVector: CIVector { get set }
  /// The numbers that the filter adds to red, green and blue.
  var biasVector: CIVector { get set }
}

private final class ColorMatrixFilter: CIFilter, CIColorMatrix {
  var inputImage: CIImage? {
    get { image }
    set { image = newValue }
  }
  var rVector: CIVector {
    get { vector("inputRVector") }
    set { setValue(newValue, forKey: "inputRVector") }
  }
  var gVector: CIVector {
    get { vector("inputGVector") }
    set { setValue(newValue, forKey: "inputGVector") }
  }
  var bVector: CIVector {
    get { vector("inputBVector") }
    set { setValue(newValue, forKey: "inputBVector") }
  }
  var aVector: CIVector {
    get { vector("inputAVector") }
    set { setValue(newValue, forKey: "inputAVector") }
  }
  var biasVector: CIVector {
    get { vector("inputBiasVector") }
    set { setValue(newValue, forKey: "inputBiasVector") }
  }
}

/// The arguments of `colorControls()`.
public protocol CIColorControls: CIFilterProtocol {
  /// The image.
  var inputImage: CIImage? { get set }
  /// The factor for the distance of colours from grey.
  var saturation: Float { get set }
  /// The number that the filter adds to all components.
  var brightness: Float { get set }
  /// The factor for the distance of components from ½.
  var contrast: Float { get set }
}

private final class ColorControlsFilter: CIFilter, CIColorControls {
  var inputImage: CIImage? {
    get { image }
    set { image = newValue }
  }
  var saturation: Float {
    get { float("inputSaturation") }
    set { setValue(NSNumber(value: newValue), forKey: "inputSaturation") }
  }
  var brightness: Float {
    get { float("inputBrightness") }
    set { setValue(NSNumber(value: newValue), forKey: "inputBrightness") }
  }
  var contrast: Float {
    get { float("inputContrast") }
    set { setValue(NSNumber(value: newValue), forKey: "inputContrast") }
  }
}

/// The arguments of `morphologyMaximum()`.
public protocol CIMorphologyMaximum: CIFilterProtocol {
  /// The image.
  var inputImage: CIImage? { get set }
  /// The radius in pixels.
  var radius: Float { get set }
}

private final class MorphologyMaximumFilter: CIFilter, CIMorphologyMaximum {
  var inputImage: CIImage? {
    get { image }
    set { image = newValue }
  }
  var radius: Float {
    get { float("inputRadius") }
    set { setValue(NSNumber(value: newValue), forKey: "inputRadius") }
  }
}

/// The arguments of `morphologyMinimum()`.
public protocol CIMorphologyMinimum: CIFilterProtocol {
  /// The image.
  var inputImage: CIImage? { get set }
  /// The radius in pixels.
  var radius: Float { get set }
}

private final class MorphologyMinimumFilter: CIFilter, CIMorphologyMinimum {
  var inputImage: CIImage? {
    get { image }
    set { image = newValue }
  }
  var radius: Float {
    get { float("inputRadius") }
    set { setValue(NSNumber(value: newValue), forKey: "inputRadius") }
  }
}

/// The arguments of `lanczosScaleTransform()`.
public protocol CILanczosScaleTransform: CIFilterProtocol {
  /// The image.
  var inputImage: CIImage? { get set }
  /// The factor for the width and the height.
  var scale: Float { get set }
  /// An additional factor for the width.
  var aspectRatio: Float { get set }
}

private final class LanczosScaleTransformFilter: CIFilter, CILanczosScaleTransform {
  var inputImage: CIImage? {
    get { image }
    set { image = newValue }
  }
  var scale: Float {
    get { float("inputScale") }
    set { setValue(NSNumber(value: newValue), forKey: "inputScale") }
  }
  var aspectRatio: Float {
    get { float("inputAspectRatio") }
    set { setValue(NSNumber(value: newValue), forKey: "inputAspectRatio") }
  }
}

/// The arguments of `sourceOverCompositing()`.
public protocol CICompositeOperation: CIFilterProtocol {
  /// The image.
  var inputImage: CIImage? { get set }
  /// The image under the input image.
  var backgroundImage: CIImage? { get set }
}

private final class SourceOverCompositingFilter: CIFilter, CICompositeOperation {
  var inputImage: CIImage? {
    get { image }
    set { image = newValue }
  }
  var backgroundImage: CIImage? {
    get { value(forKey: "inputBackgroundImage") as? CIImage }
    set { setValue(newValue, forKey: "inputBackgroundImage") }
  }
}

/// The arguments of `blendWithMask()`.
public protocol CIBlendWithMask: CIFilterProtocol {
  /// The image.
  var inputImage: CIImage? { get set }
  /// The image where the mask is black.
  var backgroundImage: CIImage? { get set }
  /// The image whose luminance mixes the other two images.
  var maskImage: CIImage? { get set }
}

private final class BlendWithMaskFilter: CIFilter, CIBlendWithMask {
  var inputImage: CIImage? {
    get { image }
    set { image = newValue }
  }
  var backgroundImage: CIImage? {
    get { value(forKey: "inputBackgroundImage") as? CIImage }
    set { setValue(newValue, forKey: "inputBackgroundImage") }
  }
  var maskImage: CIImage? {
    get { value(forKey: "inputMaskImage") as? CIImage }
    set { setValue(newValue, forKey: "inputMaskImage") }
  }
}

extension CIFilter {
  /// Returns a new filter with its default arguments.
  public class func gaussianBlur() -> any CIFilter & CIGaussianBlur {
    GaussianBlurFilter(.gaussianBlur)
  }

  /// Returns a new filter with its default arguments.
  public class func colorMatrix() -> any CIFilter & CIColorMatrix {
    ColorMatrixFilter(.colorMatrix)
  }

  /// Returns a new filter with its default arguments.
  public class func colorControls() -> any CIFilter & CIColorControls {
    ColorControlsFilter(.colorControls)
  }

  /// Returns a new filter with its default arguments.
  public class func morphologyMaximum() -> any CIFilter & CIMorphologyMaximum {
    MorphologyMaximumFilter(.morphologyMaximum)
  }

  /// Returns a new filter with its default arguments.
  public class func morphologyMinimum() -> any CIFilter & CIMorphologyMinimum {
    MorphologyMinimumFilter(.morphologyMinimum)
  }

  /// Returns a new filter with its default arguments.
  public class func lanczosScaleTransform() -> any CIFilter & CILanczosScaleTransform {
    LanczosScaleTransformFilter(.lanczosScale)
  }

  /// Returns a new filter with its default arguments.
  public class func sourceOverCompositing() -> any CIFilter & CICompositeOperation {
    SourceOverCompositingFilter(.sourceOver)
  }

  /// Returns a new filter with its default arguments.
  public class func blendWithMask() -> any CIFilter & CIBlendWithMask {
    BlendWithMaskFilter(.blendWithMask)
  }
}
