/// An option of an image request handler.
public struct VNImageOption: RawRepresentable, Hashable, Sendable {
  /// The option's text.
  public let rawValue: String

  /// Makes an option from its text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Properties of the image. Has no effect.
  public static let properties = VNImageOption(rawValue: "VNImageOptionProperties")
  /// Properties of the camera. Has no effect.
  public static let cameraIntrinsics = VNImageOption(rawValue: "VNImageOptionCameraIntrinsics")
  /// A context for `CIImage`s. Has no effect.
  public static let ciContext = VNImageOption(rawValue: "VNImageOptionCIContext")
}
