#!/bin/sh
# Makes the database and its role, which is no superuser, the first time that PostgreSQL starts: see compose.yaml
psql --username "${POSTGRES_USER:-postgres}" --set ON_ERROR_STOP=1 --set password="$POSTGRES_PASSWORD" <<'END'
CREATE ROLE citewell LOGIN PASSWORD :'password';
CREATE DATABASE citewell OWNER citewell ENCODING 'UTF8' TEMPLATE template0;
\connect citewell
CREATE EXTENSION vector;
END
