# The Node.js that the tests run on.
ARG NODE=20.20.2-bookworm-slim

FROM node:${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
# Without what builds it, and without the embedded PostgreSQL: the database is another container's.
RUN npm run build && npm prune --omit=dev --omit=optional --ignore-scripts

FROM node:${NODE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/prisma ./prisma
COPY --from=build /app/dist ./dist
USER node
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Started without npm, which would keep the signal to stop from the server.
CMD ["node", "dist/cli/main.js", "serve"]
