import CoreML
import Foundation
import Imaging
import Platform
import Service
import StyleTransfer

/// What all parts of the studio share: the shelves, the queues, and what is told to the pages.
final class Studio: Sendable {
  let options: StudioOptions
  let folder: PrivateFolder
  let pages = Pages()
  let pictures: PictureShelf
  let models: ModelShelf
  let opened = OpenModels(most: 12)
  /// Where our own models work.
  let bench: ModelBench
  /// Where those work that others wrote.
  let workers: WorkerPool
  private let memory: MemoryKeeper
  let events = EventHub()
  let jobs: JobBoard
  let trainings: TrainingRoom
  let drawings: DrawingClass
  let counts = ServerCounts()
  let thumbnails = Keepsakes(mostBytes: 16 << 20)
  let started = Date()
  /// Paintings, updates and whatever takes seconds.
  let slow = FairQueue(workers: 2, capacity: 64, capacityPerClient: 40)
  /// Thumbnails, guesses and whatever takes a moment.
  let quick = FairQueue(workers: 2, capacity: 128, capacityPerClient: 48)

  /// A studio with an empty private folder.
  init(_ options: StudioOptions) throws {
    self.options = options
    MemoryKeeper.prepare()
    folder = try PrivateFolder()
    let limit = PictureLimit(pixels: options.pixels)
    pictures = PictureShelf(folder, limit)
    models = ModelShelf(folder, options: options, opened: opened)
    bench = ModelBench(opened, limit, seconds: options.predictionSeconds)
    workers = WorkerPool(program: options.program, limit, seconds: options.predictionSeconds)
    jobs = JobBoard(events)
    trainings = TrainingRoom(options.data, models: models, events: events)
    drawings = DrawingClass(options.data, pages: pages, own: bench, foreign: workers)
    memory = MemoryKeeper(most: options.keptBytes) { [opened, bench, workers] time in
      workers.end(unusedFor: min(time, .seconds(60)))
      let hasClosed = opened.close(unusedFor: time)
      if hasClosed { bench.rest() }
      return hasClosed
    }
  }

  /// Where a model works: what others wrote in a process of its own.
  func bench(of entry: ModelShelf.Entry) -> any Bench {
    entry.origin.isForeign ? workers : bench
  }

  /// What an order means for a model on the shelf: its file, and what is asked of it.
  func order(_ entry: ModelShelf.Entry, _ order: StylizeOrder) throws -> (URL, PaintOrder) {
    guard entry.kind == .style else {
      throw HTTPError(
        422, "no_style",
        "'\(entry.title)' does not paint: it is no model that turns a picture into"
          + " a picture.")
    }
    return (
      order.network == .small ? entry.small ?? entry.file : entry.file,
      PaintOrder(
        title: entry.title, units: Units(rawValue: order.units) ?? .all, longerSide: order.size,
        isLikePainting: entry.origin == .painting)
    )
  }

  /// Whose turn it is: the address, which nobody chooses freely, and at one address the names.
  static func turn(_ head: HTTPHead) -> FairQueue.Client {
    FairQueue.Client(address: head.client, name: client(head))
  }

  /// Whose jobs these are: the name that a page gives itself, or the connection.
  static func client(_ head: HTTPHead) -> String {
    if let name = head.header("atelier-client") ?? head.query["client"], name.utf8.count <= 64 {
      return name
    }
    return head.peer
  }

  /// The photo that a request brings, or names by its identifier.
  func photo(_ fields: Fields, of request: HTTPRequest) throws -> Photo {
    if let id = fields.text("picture") { return .stored(try pictures.entry(id), pictures) }
    guard let data = fields.file("photo"), !data.isEmpty else {
      throw HTTPError(
        400, "no_photo",
        "There is no photo: send its bytes as the body or as the form's field 'photo', or name a"
          + " 'picture' that was sent to /v1/pictures.")
    }
    return .sent(data, request.room)
  }

  /// Paints a photo; a cancelled task's painting ends after the layer that it is in.
  ///
  /// - Parameter phase: told what is done, `reading` or `painting`, and the share of the layers.
  func paint(
    _ photo: Photo, _ order: StylizeOrder,
    phase: @escaping @Sendable (JobBoard.State, Double) -> Void = { _, _ in }
  ) async throws -> PaintedPicture {
    phase(.reading, 0)
    let entry = try models.entry(order.style)
    let (file, what) = try self.order(entry, order)
    return try await bench(of: entry).answer(.paint(what), about: file, ["photo": try photo.data()])
    {
      phase(.painting, $0)
    }.picture()
  }

  /// The painting as a file, with its settings noted in it.
  func encoded(
    _ painted: PaintedPicture, _ order: StylizeOrder, as format: PictureOrder
  ) async throws -> Data {
    try await offload {
      try painted.finished(strength: order.strength, colors: order.colors)
        .encoded(
          as: format.format.format, quality: format.quality,
          origin: PictureOrigin(painter: order.line))
    }
  }
}

/// A photo on its way to a model.
enum Photo: Sendable {
  /// What a request brought, with the memory that is reserved for it for as long as it waits.
  case sent(Data, Reservation?)
  /// A picture in the private folder, which is read when its turn comes.
  case stored(PictureShelf.Entry, PictureShelf)

  /// The photo's file.
  func data() throws -> Data {
    switch self {
    case .sent(let data, _): return data
    case .stored(let entry, let shelf): return try shelf.data(entry.id)
    }
  }

  /// The size, by the head of the file.
  func size() throws -> PictureSize {
    switch self {
    case .sent(let data, _):
      let header = try Picture.probe(data: data, name: "the photo")
      return PictureSize(width: header.width, height: header.height)
    case .stored(let entry, _): return PictureSize(width: entry.width, height: entry.height)
    }
  }
}

/// A value that is handed from one thread to another and used by one at a time.
///
/// `@unchecked Sendable`: see above.
struct Handed<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
