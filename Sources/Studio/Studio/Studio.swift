import CoreML
import Foundation
import Imaging
import Platform
import Service
import StyleTransfer

/// The parts of the studio that all requests share: the stores, the queues and the events for the pages.
final class Studio: Sendable {
  let options: StudioOptions
  let folder: PrivateFolder
  let pages = Pages()
  let pictures: PictureStore
  let models: ModelStore
  let opened = OpenModels(most: 12)
  /// Runs trusted models in this process.
  let worker: LocalModelWorker
  /// Runs untrusted models in worker processes.
  let workers: WorkerPool
  private let memory: MemoryJanitor
  let events = EventHub()
  let jobs: JobBoard
  let optimizations: OptimizationService
  let films: FilmService
  let trainings: TrainingService
  let drawings: DrawingService
  let fetches: FetchService
  let counts = ServerCounts()
  let inferences = InferenceCounts()
  let thumbnails = DataCache(mostBytes: 16 << 20)
  let started = Date()
  /// The queue for paintings, updates and other work that takes seconds.
  let slow = FairQueue(workers: 2, capacity: 64, capacityPerClient: 40)
  /// The queue for thumbnails, classifications and other short work.
  let quick = FairQueue(workers: 2, capacity: 128, capacityPerClient: 48)

  /// Creates a studio with an empty private folder.
  init(_ options: StudioOptions) throws {
    self.options = options
    MemoryJanitor.prepare()
    folder = try PrivateFolder()
    let limit = PictureLimit(pixels: options.pixels)
    pictures = PictureStore(folder, limit)
    models = ModelStore(folder, options: options, opened: opened)
    worker = LocalModelWorker(opened, limit, seconds: options.predictionSeconds)
    workers = WorkerPool(program: options.program, limit, seconds: options.predictionSeconds)
    jobs = JobBoard(events)
    optimizations = OptimizationService(events)
    films = FilmService(folder, pictures, events)
    trainings = TrainingService(options.data, models: models, events: events)
    drawings = DrawingService(options.data, pages: pages, own: worker, foreign: workers)
    fetches = FetchService(folder, events) { [models] in models.addFetched() }
    memory = MemoryJanitor(most: options.idleMemoryLimit) { [opened, worker, workers] time in
      workers.end(unusedFor: min(time, .seconds(60)))
      let hasClosed = opened.close(unusedFor: time)
      if hasClosed { worker.closeStyleNetworks() }
      return hasClosed
    }
  }

  /// Returns the worker for a model. Untrusted models run in separate processes.
  func worker(of entry: ModelStore.Entry) -> any ModelWorker {
    entry.origin.isForeign ? workers : worker
  }

  /// Chooses the style's large or small network, as a client's order asks for it. Returns the file of this network, and
  /// the settings for the worker that paints.
  func order(_ entry: ModelStore.Entry, _ order: StylizeOrder) throws -> (URL, PaintOrder) {
    guard entry.kind == .style else {
      throw HTTPError(
        422, "no_style",
        "'\(entry.title)' does not paint: a style network has a picture as input and output.")
    }
    return (
      order.network == .small ? entry.small ?? entry.file : entry.file,
      PaintOrder(
        title: entry.title, units: Units(rawValue: order.units) ?? .all, longerSide: order.size,
        isPainting: entry.origin == .painting, keepsNetworkColors: order.colors == .network)
    )
  }

  /// Returns the client for the queue. It consists of the address, which the client cannot choose, and the name that
  /// the client chose.
  static func queueClient(_ head: HTTPHead) -> FairQueue.Client {
    FairQueue.Client(address: head.client, name: client(head))
  }

  /// Returns the name of the client that owns a job: the name that a page chose, or else the address and port of the
  /// connection.
  static func client(_ head: HTTPHead) -> String {
    if let name = head.header("atelier-client") ?? head.query["client"], name.utf8.count <= 64 {
      return name
    }
    return head.peer
  }

  /// Returns the photo that a request contains. If the request instead names a stored picture by its identifier,
  /// returns that picture.
  func photo(_ fields: Fields, of request: HTTPRequest) throws -> Photo {
    if let id = fields.text("picture") { return .stored(try pictures.entry(id), pictures) }
    guard let data = fields.file("photo"), !data.isEmpty else {
      throw HTTPError(
        400, "no_photo",
        "There is no photo. Send its bytes as the body or as the form's field 'photo', or name a"
          + " 'picture' that was sent to /v1/pictures.")
    }
    return .sent(data, request.reservation)
  }

  /// Paints a photo. If the caller's task is cancelled, painting ends after the current layer.
  ///
  /// - Parameter phase: A closure that is called with the state, `reading` or `painting`, and with the share of the
  ///   layers that are computed, 0 to 1.
  func paint(
    _ photo: Photo, _ order: StylizeOrder,
    phase: @escaping @Sendable (JobBoard.State, Double) -> Void = { _, _ in }
  ) async throws -> PaintedPicture {
    phase(.reading, 0)
    let entry = try models.entry(order.style)
    let (file, what) = try self.order(entry, order)
    return try await worker(of: entry).answer(
      .paint(what), about: file, ["photo": try photo.data()]
    ) {
      phase(.painting, $0)
    }.picture()
  }

  /// Encodes a painting as a file. The metadata of the file contains the order's settings.
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

/// A photo that waits for a model.
enum Photo: Sendable {
  /// The bytes of a request, with the memory that is reserved for them while they wait.
  case sent(Data, Reservation?)
  /// A picture in the private folder. Its file is read when the photo is needed.
  case stored(PictureStore.Entry, PictureStore)

  /// Returns the bytes of the photo's file.
  func data() throws -> Data {
    switch self {
    case .sent(let data, _): return data
    case .stored(let entry, let store): return try store.data(entry.id)
    }
  }

  /// Reads the photo's size from the header of its file.
  func size() throws -> PictureSize {
    switch self {
    case .sent(let data, _):
      let header = try Picture.probe(data: data, name: "the photo")
      return PictureSize(width: header.width, height: header.height)
    case .stored(let entry, _): return PictureSize(width: entry.width, height: entry.height)
    }
  }
}
