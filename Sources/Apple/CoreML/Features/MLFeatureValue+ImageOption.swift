extension MLFeatureValue {
  /// An option for fitting an image to a model's input.
  public struct ImageOption: RawRepresentable, Hashable, Sendable {
    /// The option's name.
    public let rawValue: String

    /// Makes an option from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes an option from its name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The part of the image to use: a `CGRect` with coordinates from 0 to 1 in the upright image.
    ///
    /// The origin is the lower left corner, as in Vision.
    public static let cropRect = ImageOption("MLFeatureValueImageOptionCropRect")

    /// How to scale the part of the image to the size of the feature value. The value is a `VNImageCropAndScaleOption`,
    /// or the raw value of such an option.
    public static let cropAndScale = ImageOption("MLFeatureValueImageOptionCropAndScale")
  }
}
