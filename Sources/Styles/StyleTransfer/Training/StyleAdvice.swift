/// What a training tells in plain words about pictures, settings and losses.
public enum StyleAdvice {
  /// The least side of a painting that has strokes enough to learn.
  static let leastPaintingSide: Int = 512
  /// The least number of photos that a network does not learn by heart.
  static let leastContents: Int = 40

  /// What can be said before the training starts.
  public static func before(
    paintingWidth: Int, paintingHeight: Int, contents: Int, settings: StyleTrainingSettings
  ) -> [String] {
    var advice: [String] = []
    if min(paintingWidth, paintingHeight) < leastPaintingSide {
      advice.append(
        "The style picture is \(paintingWidth) × \(paintingHeight); its strokes come out better"
          + " where both sides have at least \(leastPaintingSide) pixels.")
    }
    if settings.texelDensity > min(paintingWidth, paintingHeight) {
      advice.append(
        "The texel density \(settings.texelDensity) enlarges the style picture, which has"
          + " \(min(paintingWidth, paintingHeight)) pixels; its strokes will look soft.")
    }
    if contents < leastContents {
      advice.append(
        "There are \(contents) content pictures; with fewer than \(leastContents) the style may"
          + " suit only pictures like these.")
    }
    return advice
  }

  /// How much more of the content than a grey picture a painting may lose: strokes differ from the photo
  /// where grey shows nothing. Faces are readable at once as much, and lost at twice.
  static let mostContent: Double = 1.5

  /// What the losses say.
  ///
  /// - Parameter contentOfGrey: the content's loss of a grey picture.
  public static func after(
    _ losses: [StyleLosses], settings: StyleTrainingSettings, contentOfGrey: Double
  ) -> [String] {
    let part: Int = max(5, losses.count / 10)
    guard losses.count >= part * 2 else { return [] }
    func mean(_ rows: ArraySlice<StyleLosses>, _ value: (StyleLosses) -> Double) -> Double {
      rows.reduce(0) { $0 + value($1) } / Double(rows.count)
    }
    let end = losses.suffix(part)
    var advice: [String] = []
    // The loss of a blank picture is the weight of the style.
    let styleEnd: Double = mean(end, \.style) / settings.styleFactor
    if styleEnd > 0.4 {
      advice.append(
        "The style's loss is still \(percent(styleEnd)) of a blank picture's: the painting is hardly"
          + " learned. Train for more iterations"
          + (settings.strength < 10 ? ", or raise the strength (\(settings.strength))." : "."))
    }
    let content: Double = mean(end, \.content)
    if styleEnd <= 0.4, content > mostContent * contentOfGrey {
      advice.append(
        "The content's loss is \(percent(content / contentOfGrey)) of that of a grey picture: what the"
          + " photos show is hardly kept."
          + (settings.strength > 1 ? " Lower the strength (\(settings.strength))." : ""))
    }
    let middle = losses.dropLast(part).suffix(part)
    if mean(end, \.total) > 1.3 * mean(middle, \.total) {
      advice.append(
        "The losses rose at the end, from \(rounded(mean(middle, \.total))) to"
          + " \(rounded(mean(end, \.total))): they diverge. Lower the learning rate, or use more"
          + " varied content pictures.")
    }
    return advice
  }

  private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

  private static func rounded(_ value: Double) -> String {
    "\((value * 1000).rounded() / 1000)"
  }
}
