extension MLFeatureValue {
  /// How a picture is fitted to a model's input.
  public struct ImageOption: RawRepresentable, Hashable, Sendable {
    /// The option's name.
    public let rawValue: String

    /// Makes an option of its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes an option of its name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The part of the picture to use: a `CGRect` whose coordinates go from 0 to 1, with the
    /// origin at the top left of the upright picture.
    public static let cropRect = ImageOption("MLFeatureValueImageOptionCropRect")

    /// How the part is brought to the size: a `VNImageCropAndScaleOption`, or its raw value.
    public static let cropAndScale = ImageOption("MLFeatureValueImageOptionCropAndScale")
  }
}
