/// The weights of red, green and blue in the luma of a gamma-encoded pixel.
///
/// **Source:** Recommendation ITU-R BT.601-7.
public enum Luma {
  public static let red: Float = 0.299
  public static let green: Float = 0.587
  public static let blue: Float = 0.114

  /// Returns the luma, 0…255, of the pixel whose red byte is at the given index.
  @inline(__always)
  public static func of(_ pixels: UnsafeBufferPointer<UInt8>, at index: Int) -> Float {
    red * Float(pixels[index]) + green * Float(pixels[index + 1]) + blue * Float(pixels[index + 2])
  }
}
