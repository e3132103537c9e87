/// The losses of one step, each multiplied by its weight.
public struct StyleLosses: Sendable, Hashable {
  /// The step, counted from 1.
  public var iteration: Int
  /// The sum of the other losses, which is minimised.
  public var total: Double
  /// The content loss.
  public var content: Double
  /// The style loss.
  public var style: Double
  /// The smoothness loss.
  public var smoothness: Double
  /// The stability loss: how much the painting changes if the photo is shifted by one pixel and noise is added to it.
  /// It is 0 if the loss is not computed.
  public var stability: Double
  /// The colour loss. It is 0 if the loss is not computed.
  public var color: Double
  /// The neighbour loss. It is 0 if the loss is not computed.
  public var neighbors: Double
  /// The learning rate of the step.
  public var learningRate: Double

  /// The heading of a table of losses in CSV.
  static let columns =
    "iteration,total,content,style,smoothness,stability,learning_rate,color,neighbors"

  /// The losses as a row of that table.
  var row: String {
    // Losses are computed in float32 and are written with the digits of a Float. The learning rate is a Double.
    let numbers: [Double] = [total, content, style, smoothness, stability]
    return "\(iteration)," + numbers.map { "\(Float($0))" }.joined(separator: ",")
      + ",\(learningRate),\(Float(color)),\(Float(neighbors))"
  }

  /// Creates the losses of a step.
  public init(
    iteration: Int, total: Double, content: Double, style: Double, smoothness: Double = 0,
    stability: Double = 0, color: Double = 0, neighbors: Double = 0, learningRate: Double
  ) {
    self.iteration = iteration
    self.total = total
    self.content = content
    self.style = style
    self.smoothness = smoothness
    self.stability = stability
    self.color = color
    self.neighbors = neighbors
    self.learningRate = learningRate
  }

  /// Parses a row of the table. Nil if the row is incomplete. Tables of earlier versions have no columns for colours and
  /// neighbours.
  init?(row: some StringProtocol) {
    let words = row.split(separator: ",", omittingEmptySubsequences: false)
    guard (7...9).contains(words.count), let iteration = Int(words[0]) else { return nil }
    let numbers: [Double] = words[1...5].compactMap { Float($0).map { Double($0) } }
    guard numbers.count == 5, let rate = Double(words[6]) else { return nil }
    let others: [Double] = words[7...].compactMap { Float($0).map { Double($0) } }
    guard others.count == words.count - 7 else { return nil }
    self.init(
      iteration: iteration, total: numbers[0], content: numbers[1], style: numbers[2],
      smoothness: numbers[3], stability: numbers[4], color: others.first ?? 0,
      neighbors: others.count > 1 ? others[1] : 0, learningRate: rate)
  }
}
