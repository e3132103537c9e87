/// What one step of a training measured, each loss with its weight in it.
public struct StyleLosses: Sendable, Hashable {
  /// The step, counted from 1.
  public var iteration: Int
  /// The sum that is made small.
  public var total: Double
  /// How far the paintings are from showing what the photos show.
  public var content: Double
  /// How far they are from the style.
  public var style: Double
  /// How far neighbouring pixels differ.
  public var smoothness: Double
  /// How far the painting of a photo moved by a pixel, and with noise, differs; 0 where not computed.
  public var stability: Double
  /// The learning rate of the step.
  public var learningRate: Double

  /// The columns of a table of losses.
  static let columns = "iteration,total,content,style,smoothness,stability,learning_rate"

  /// A row of that table.
  var row: String {
    // Losses are computed in float32, which is written in full; the rate is a Double.
    let numbers: [Double] = [total, content, style, smoothness, stability]
    return "\(iteration)," + numbers.map { "\(Float($0))" }.joined(separator: ",")
      + ",\(learningRate)"
  }

  /// Losses of a step.
  public init(
    iteration: Int, total: Double, content: Double, style: Double, smoothness: Double = 0,
    stability: Double = 0, learningRate: Double
  ) {
    self.iteration = iteration
    self.total = total
    self.content = content
    self.style = style
    self.smoothness = smoothness
    self.stability = stability
    self.learningRate = learningRate
  }

  /// A row read back; nil where it is incomplete.
  init?(row: some StringProtocol) {
    let words = row.split(separator: ",", omittingEmptySubsequences: false)
    guard words.count == 7, let iteration = Int(words[0]) else { return nil }
    let numbers: [Double] = words[1...5].compactMap { Float($0).map { Double($0) } }
    guard numbers.count == 5, let rate = Double(words[6]) else { return nil }
    self.init(
      iteration: iteration, total: numbers[0], content: numbers[1], style: numbers[2],
      smoothness: numbers[3], stability: numbers[4], learningRate: rate)
  }
}
