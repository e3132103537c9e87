import Foundation
import Imaging
import Service

/// `/v1/pictures`, `/v1/styles`, `/v1/stylize`, `/v1/jobs`.
extension Studio {
  /// A style as clients see it.
  private struct StyleWords: Encodable {
    let id: String
    let title: String
    let painter: String?
    let year: String?
    let origin: ModelStore.Origin
    let hasSmall: Bool
    let thumbnail: String
    let painting: String?

    init(_ entry: ModelStore.Entry) {
      id = entry.id
      title = entry.title
      painter = entry.style?.painter
      year = entry.style?.year
      origin = entry.origin
      hasSmall = entry.small != nil
      thumbnail = "/v1/styles/\(entry.id)/thumbnail"
      painting = entry.painting == nil ? nil : "/v1/styles/\(entry.id)/painting"
    }
  }

  func addPainting(to router: inout Router) {
    router.add("POST", "/v1/pictures", limit: options.pictureBytes) { [self] request, _ in
      let fields = try Fields(request)
      guard let data = fields.file("photo"), !data.isEmpty else {
        throw HTTPError(400, "no_photo", "The body is empty. Send the picture's bytes.")
      }
      return try .json(try await offload { [pictures] in try pictures.add(data) }, status: 201)
    }
    router.add("GET", "/v1/pictures/{id}") { [self] request, parts in
      let entry = try pictures.entry(parts["id"] ?? "")
      let side = try Fields(request).integer("size", in: 16...4096) ?? 1600
      let jpeg = try await quick.run(Self.queueClient(request.head)) { [pictures] in
        try await offload {
          let picture = try pictures.limit.decode(pictures.data(entry.id))
          return try picture.scaled(
            to: picture.size.scaled(toLongerSide: min(side, picture.size.longerSide))
          ).encoded(as: .jpeg, quality: 88)
        }
      }
      return HTTPResponse(type: "image/jpeg", jpeg)
    }
    router.add("DELETE", "/v1/pictures/{id}") { [self] _, parts in
      pictures.remove(parts["id"] ?? "")
      return .done
    }
    router.add("GET", "/v1/styles") { [self] _, _ in
      try .json(["styles": models.all.filter { $0.kind == .style }.map(StyleWords.init)])
    }
    router.add("POST", "/v1/styles", limit: options.pictureBytes) { [self] request, _ in
      let fields = try Fields(request)
      let entry = try await quick.run(Self.queueClient(request.head)) { [self] in
        try await offload { [self] in try addStyle(fields) }
      }
      return try .json(StyleWords(entry), status: 201)
    }
    router.add("DELETE", "/v1/styles/{id}") { [self] _, parts in
      try models.remove(parts["id"] ?? "")
      return .done
    }
    router.add("GET", "/v1/styles/{id}/thumbnail") { [self] request, parts in
      try await thumbnail(request, style: parts["id"] ?? "")
    }
    router.add("GET", "/v1/styles/{id}/painting") { [self] _, parts in
      let entry = try models.entry(parts["id"] ?? "")
      guard let file = entry.painting else { throw HTTPError.missing("painting of that style") }
      var response = try HTTPResponse(type: "image/jpeg", file: file)
      response.headers.append(("Cache-Control", "max-age=3600"))
      return response
    }
    router.add("POST", "/v1/stylize", limit: options.pictureBytes) { [self] request, _ in
      try await stylize(request)
    }
    addJobs(to: &router)
  }

  /// Stores an uploaded painting as a style for the networks for arbitrary styles.
  private func addStyle(_ fields: Fields) throws -> ModelStore.Entry {
    guard canPaintAny else {
      throw HTTPError(
        409, "no_pair",
        "The two networks for arbitrary styles are not fetched yet. Run `atelier fetch"
          + " arbitrary-style`.")
    }
    guard let data = fields.file("painting"), !data.isEmpty else {
      throw HTTPError(
        400, "no_painting",
        "There is no painting. Send its bytes as the body or as the form's field 'painting'.")
    }
    let painting = try pictures.limit.decode(data).withoutAlpha
    let (id, location) = try models.newUpload("jpg")
    // The studio encodes the painting again. So the stored file is certainly a picture, and no larger than the networks
    // need.
    let side = min(1024, painting.size.longerSide)
    try painting.scaled(to: painting.size.scaled(toLongerSide: side)).write(toFile: location.path)
    let entry = ModelStore.Entry(
      id: id, title: Self.title(fields.text("name") ?? "Painting"), origin: .painting,
      kind: .style, file: location, painting: location)
    models.add(entry)
    return entry
  }

  private func addJobs(to router: inout Router) {
    router.add("GET", "/v1/jobs") { [self] request, _ in
      try .json(["jobs": jobs.jobs(of: Self.client(request.head))])
    }
    router.add("GET", "/v1/jobs/{id}") { [self] _, parts in
      try .json(try jobs.job(parts["id"] ?? ""))
    }
    router.add("DELETE", "/v1/jobs/{id}") { [self] _, parts in
      try jobs.cancel(parts["id"] ?? "")
      return .done
    }
    router.add("GET", "/v1/jobs/{id}/painting") { [self] request, parts in
      let (job, painted) = try jobs.painted(parts["id"] ?? "")
      let fields = try Fields(request)
      var order = job.order
      order.strength = try fields.number("strength", in: 0...1) ?? order.strength
      order.colors = try fields.choice("colors", StylizeOrder.Colors.self) ?? order.colors
      let format = try PictureOrder(fields)
      let wanted: StylizeOrder = order
      let data = try await quick.run(Self.queueClient(request.head)) { [self] in
        try await encoded(painted, wanted, as: format)
      }
      return HTTPResponse(type: format.format.type, data)
    }
  }

  /// Paints a photo. The response is the painting or, with `Prefer: respond-async`, a job.
  private func stylize(_ request: HTTPRequest) async throws -> HTTPResponse {
    let fields = try Fields(request)
    let order = try StylizeOrder(fields)
    let format = try PictureOrder(fields)
    let photo = try photo(fields, of: request)
    let queueClient = Self.queueClient(request.head)
    _ = try models.entry(order.style)
    // If the body is not a picture, the request is refused before it waits in the queue.
    let size = try photo.size()
    // Small paintings have their own queue, so that they do not wait for large paintings.
    let queue = (order.size ?? size.longerSide) <= 400 ? quick : slow
    guard request.head.header("prefer") == "respond-async" else {
      let data = try await queue.run(queueClient) { [self] in
        try await encoded(try await paint(photo, order), order, as: format)
      }
      return HTTPResponse(type: format.format.type, data)
    }
    let scaled = order.size.map { size.scaled(toLongerSide: min($0, size.longerSide)) } ?? size
    let (pixels, _) = scaled.width.multipliedReportingOverflow(by: scaled.height)
    let client = Self.client(request.head)
    let job = jobs.begin(order, client: client, pixels: pixels) { [self] tell in
      try await queue.run(queueClient) { [self] in
        let start = ContinuousClock.now
        let painted = try await paint(photo, order, phase: tell)
        return (painted, seconds: (ContinuousClock.now - start) / .seconds(1))
      }
    }
    return try .json(job, status: 202)
  }

  /// Paints the sample photo, or a photo of the client, as the thumbnail of a style.
  private func thumbnail(_ request: HTTPRequest, style: String) async throws -> HTTPResponse {
    let fields = try Fields(request)
    let side = try fields.integer("size", in: 32...512) ?? 192
    let picture = fields.text("picture")
    let key = "\(style) \(picture ?? "sample") \(side)"
    let entry = try models.entry(style)
    let jpeg: Data
    if let known = thumbnails.value(key) {
      jpeg = known
    } else {
      let photo: Photo =
        try picture.map { .stored(try pictures.entry($0), pictures) } ?? .sent(sample(), nil)
      let small = entry.small == nil ? "large" : "small"
      let order = try StylizeOrder(
        Fields(values: ["style": style, "size": "\(side)", "network": small]))
      jpeg = try await quick.run(Self.queueClient(request.head)) { [self] in
        let painted = try await paint(photo, order)
        return try await encoded(
          painted, order, as: PictureOrder(Fields(values: ["quality": "85"])))
      }
      thumbnails.keep(jpeg, key)
    }
    var response = HTTPResponse(type: "image/jpeg", jpeg)
    response.headers.append(("Cache-Control", "private, max-age=600"))
    return response
  }

  /// Returns the sample photo from which thumbnails of styles are painted by default.
  func sample() throws -> Data {
    guard let bytes = pages.bytes("sample.jpg") else { throw HTTPError.missing("sample photo") }
    return Data(bytes)
  }
}
