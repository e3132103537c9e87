/// Gives the user advice about the pictures, settings and losses of a training.
public enum StyleAdvice {
  /// The smallest side of a painting with enough brush strokes to learn from, in pixels.
  static let leastPaintingSide: Int = 512
  /// The smallest number of photos to which a network does not overfit.
  static let leastContents: Int = 40

  /// Returns advice about pictures and settings, before the training starts.
  public static func before(
    paintingWidth: Int, paintingHeight: Int, contents: Int, settings: StyleTrainingSettings
  ) -> [String] {
    var advice: [String] = []
    if min(paintingWidth, paintingHeight) < leastPaintingSide {
      advice.append(
        "The style picture is \(paintingWidth) × \(paintingHeight); its strokes become better if"
          + " both sides have at least \(leastPaintingSide) pixels.")
    }
    if settings.texelDensity > min(paintingWidth, paintingHeight) {
      advice.append(
        "The texel density \(settings.texelDensity) enlarges the style picture, which has"
          + " \(min(paintingWidth, paintingHeight)) pixels; its strokes will look soft.")
    }
    if contents < leastContents {
      advice.append(
        "There are \(contents) content pictures; with fewer than \(leastContents), the style may"
          + " only work for similar pictures.")
    }
    return advice
  }

  /// The largest acceptable content loss, divided by the content loss of a grey picture. The limit is above 1 because
  /// brush
  /// strokes add differences from the photo that a grey picture does not have. Faces are recognisable at 1, and lost at
  /// 2.
  static let mostContent: Double = 1.5

  /// Returns advice after the training, based on its losses.
  ///
  /// - Parameter contentOfGrey: The content loss of a grey picture, compared with the training photos.
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
    // The style loss of a blank picture equals the weight of the style loss.
    let styleEnd: Double = mean(end, \.style) / settings.styleFactor
    if styleEnd > 0.4 {
      advice.append(
        "The style loss is still \(percent(styleEnd)) of that of a blank picture: the network has"
          + " hardly learned the painting. Train for more iterations"
          + (settings.strength < 10 ? ", or raise the strength (\(settings.strength))." : "."))
    }
    let content: Double = mean(end, \.content)
    if styleEnd <= 0.4, content > mostContent * contentOfGrey {
      advice.append(
        "The content loss is \(percent(content / contentOfGrey)) of that of a grey picture: the"
          + " content of the photos is hardly recognisable."
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
