import Imaging

extension Picture {
  /// Prepares a painting for training: crops the frame of its scan, and scales it so that the shorter side is the texel
  /// density. If the longer side is more than three times as long as the shorter one, its ends are cropped first.
  public func asStylePicture(texelDensity: Int) throws -> Picture {
    let painting: Picture = try withoutAlpha.withoutFrame()
    let (width, height) = (painting.width, painting.height)
    let shorter: Int = min(width, height)
    let longest: Int = shorter * 3
    let middle: Picture = try painting.cropped(
      x: max(0, (width - longest) / 2), y: max(0, (height - longest) / 2),
      width: min(width, longest), height: min(height, longest))
    return try middle.scaled(to: middle.size.scaled(by: Double(texelDensity) / Double(shorter)))
  }
}
