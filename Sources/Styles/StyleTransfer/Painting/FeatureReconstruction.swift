import Engine
import Imaging

/// Reconstructs a photo from its features in some layers, starting from noise, with L-BFGS. The result shows which
/// information about the photo the layers contain.
///
/// **Source:** Mahendran and Vedaldi, “Understanding Deep Image Representations by Inverting Them”, arXiv:1412.0035.
struct FeatureReconstruction: PaintingProcess {
  private let task: PaintingTask
  private let schedule: PaintingSchedule
  private let loss: PerceptualLoss

  /// The minimum longer side of all scales but the last, in pixels.
  private static let leastSide = 192
  private static let defaultIterations = 300
  private static let smoothness: Double = 0.01
  /// The approximate change of each sample in the first step. Samples are 0…255.
  private static let firstChange: Double = 4

  init(_ task: PaintingTask) throws {
    self.task = task
    var loss = PerceptualLoss()
    loss.content = task.settings.reconstructionLayers.map { PerceptualLoss.Term($0) }
    (loss.contentWeight, loss.styleWeight, loss.smoothness) = (1, 0, Self.smoothness)
    self.loss = loss
    schedule = PaintingSchedule(
      side: task.size.longerSide, least: Self.leastSide, factor: 2,
      iterations: task.settings.iterations ?? Self.defaultIterations, steps: { _ in 1 })
  }

  func estimatedBytes() throws -> Int {
    let side: Int = schedule.scales[0].side
    let small: PaintingObjective = try objective(at: side)
    let (own, whole) = (task.size(at: side), task.size)
    let ratio: Double = Double(whole.width * whole.height) / Double(own.width * own.height)
    let points = Double(whole.width * whole.height * 3 * 4)
    return Int(Double(small.byteCount) * ratio + points * Double(memory(points) * 2 + 8))
  }

  func paint(_ report: PicturePainter.Report) throws -> Picture {
    var painted: Picture?
    var done: Int = 0
    for scale in schedule.scales where scale.steps > 0 {
      let size: PictureSize = task.size(at: scale.side)
      let start: [Float] = try painted?.scaled(to: size).planes ?? noise(size)
      let objective: PaintingObjective = try objective(at: scale.side)
      var minimizer = try LBFGS(
        objective, from: start, memory: memory(Double(start.count * 4)),
        firstLength: Self.firstChange * Double(start.count).squareRoot())
      let end: Int = done + scale.steps
      var isWanted = true
      while done < end {
        let isMoving: Bool = try minimizer.step(objective)
        done += 1
        let point: [Float] = minimizer.point
        let progress = PaintingProgress(
          iteration: done, iterations: schedule.total, width: size.width, height: size.height,
          loss: minimizer.value, share: schedule.share(after: done))
        isWanted = try report(progress) {
          try task.finished(Picture(width: size.width, height: size.height, planes: point))
        }
        guard isWanted else { break }
        if !isMoving { done = end }
      }
      painted = try Picture(width: size.width, height: size.height, planes: minimizer.point)
      guard isWanted else { break }
    }
    return try task.finished(painted ?? task.photo)
  }

  /// Returns the number of steps for L-BFGS to store: 3 to 12, fewer for larger points. `bytes` is the size of a point.
  private func memory(_ bytes: Double) -> Int { min(12, max(3, Int(600e6 / (bytes * 2)))) }

  private func noise(_ size: PictureSize) -> [Float] {
    var noise = NoiseSource(seed: task.settings.seed)
    return noise.samples(size.width * size.height * 3)
  }

  private func objective(at side: Int) throws -> PaintingObjective {
    let photo: Picture = try task.photo(at: side)
    return try PaintingObjective(
      width: photo.width, height: photo.height, photo: photo.planes, styles: [], loss: loss,
      network: task.network, options: task.settings.execution)
  }
}
